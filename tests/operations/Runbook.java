package tests.operations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A page of docs/runbooks as an operator reads it: sections with commands, and under a command what it prints.
 *
 * @param name of its file, without the ending
 * @param title the alert
 */
record Runbook(String name, String title, List<String> sections, List<Command> commands) {

    static final Path FOLDER = Path.of("docs", "runbooks");
    static final String LOOK = "How to look";
    static final String REPAIR = "How to repair";
    static final String WORKED = "How to see that it worked";
    static final String NO_HELP = "When it does not help";

    private static final Pattern FENCE = Pattern.compile("( *)```(\\w*)");

    /**
     * @param language sql or sh
     * @param printed what it prints, as far as the page says; an ellipsis stands for anything, and on a line of its own for any
     *     lines
     */
    record Command(
            String section,
            String language,
            String text,
            @Nullable String printed) {}

    static Runbook read(String name) {
        try {
            return parse(name, Files.readAllLines(FOLDER.resolve(name + ".md")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The names of all pages but the index. */
    static List<String> names() {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".md") && !file.equals("README.md"))
                    .map(file -> file.substring(0, file.length() - 3))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Command> commands(String section) {
        return commands.stream()
                .filter(command -> command.section().equals(section))
                .toList();
    }

    private static Runbook parse(String name, List<String> lines) {
        var title = "";
        var sections = new ArrayList<String>();
        var commands = new ArrayList<Command>();
        for (int i = 0; i < lines.size(); i++) {
            var line = lines.get(i);
            var fence = FENCE.matcher(line);
            if (line.startsWith("# ")) {
                title = line.substring(2);
            } else if (line.startsWith("## ")) {
                sections.add(line.substring(3));
            } else if (fence.matches()) {
                int end = i + 1;
                while (!lines.get(end).strip().equals("```")) {
                    end++;
                }
                var text = lines.subList(i + 1, end).stream()
                        .map(inside -> inside.substring(Math.min(
                                fence.group(1).length(),
                                inside.length() - inside.stripLeading().length())))
                        .collect(Collectors.joining("\n"));
                add(commands, sections.isEmpty() ? "" : sections.get(sections.size() - 1), fence.group(2), text);
                i = end;
            }
        }
        return new Runbook(name, title, List.copyOf(sections), List.copyOf(commands));
    }

    private static void add(List<Command> commands, String section, String language, String text) {
        if (!language.equals("text")) {
            commands.add(new Command(section, language, text, null));
            return;
        }
        var last = commands.remove(commands.size() - 1);
        commands.add(new Command(last.section(), last.language(), last.text(), text));
    }
}
