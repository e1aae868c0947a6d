package app.commands;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/** Rows as lines with tabs, a heading first, and a dash for what is not there. */
final class Table {

    private Table() {}

    static void print(PrintWriter out, List<String> columns, List<Map<String, Object>> rows) {
        out.println(String.join("\t", columns));
        for (var row : rows) {
            out.println(String.join(
                    "\t",
                    columns.stream()
                            .map(column -> row.get(column) == null
                                    ? "-"
                                    : row.get(column).toString())
                            .toList()));
        }
    }
}
