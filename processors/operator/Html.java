package processors.operator;

import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Writes HTML. Whatever it is given as text or as the value of an attribute is escaped: nothing shown can become markup. */
final class Html {

    private final StringBuilder out = new StringBuilder(16_384).append("<!doctype html>\n");

    /** A column of a table. */
    record Column<T>(String heading, BiConsumer<Html, T> cell) {}

    /** @param attributes names and values in turns; one whose value is null is left out */
    Html open(String tag, @Nullable Object... attributes) {
        out.append('<').append(tag);
        for (int i = 0; i < attributes.length; i += 2) {
            if (attributes[i + 1] != null) {
                out.append(' ').append(attributes[i]).append("=\"");
                escape(String.valueOf(attributes[i + 1]));
                out.append('"');
            }
        }
        out.append('>');
        return this;
    }

    Html close(String tag) {
        out.append("</").append(tag).append(">\n");
        return this;
    }

    Html text(Object text) {
        escape(text.toString());
        return this;
    }

    Html element(String tag, Object text, @Nullable Object... attributes) {
        open(tag, attributes).text(text);
        out.append("</").append(tag).append('>');
        return this;
    }

    /** The style of the page, which is no text of anybody's. */
    Html style(String css) {
        out.append("<style>").append(css).append("</style>\n");
        return this;
    }

    /** A table whose first column names the row; on a narrow screen each cell is shown with its heading. */
    <T> Html table(String caption, List<Column<T>> columns, List<T> rows) {
        open("table").element("caption", caption).open("thead").open("tr");
        columns.forEach(column -> element("th", column.heading(), "scope", "col"));
        close("tr").close("thead").open("tbody");
        for (var row : rows) {
            open("tr");
            for (var column : columns) {
                boolean names = column == columns.get(0);
                open(names ? "th" : "td", "scope", names ? "row" : null, "data-heading", column.heading());
                column.cell().accept(this, row);
                out.append(names ? "</th>" : "</td>");
            }
            close("tr");
        }
        return close("tbody").close("table");
    }

    private void escape(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.append(Character.isISOControl(c) ? ' ' : c);
            }
        }
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
