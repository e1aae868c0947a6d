package processors.operator;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** How the page looks: calm, in the light or dark of whoever looks at it, and in one column where there is room for one. */
final class Style {

    static final String CSS = """
            :root {
              color-scheme: light dark;
              --ground: #f6f6f3; --sheet: #ffffff; --line: #dddfd9; --ink: #20262b; --quiet: #5b656e;
              --calm: #2c6e58; --wrong: #a1331c; --wrong-sheet: #fbeeea;
            }
            @media (prefers-color-scheme: dark) {
              :root {
                --ground: #14181b; --sheet: #1b2024; --line: #2e353b; --ink: #e4e7e9; --quiet: #9aa5ae;
                --calm: #72bfa2; --wrong: #f19a80; --wrong-sheet: #2c1f1b;
              }
            }
            * { box-sizing: border-box; }
            body {
              margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 72rem; background: var(--ground); color: var(--ink);
              font: 1rem/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: break-word;
            }
            header { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: baseline; justify-content: space-between; }
            h1 { margin: 0; font-size: 1.4rem; font-weight: 600; }
            h2 { margin: 0 0 .5rem; font-size: 1.1rem; font-weight: 600; }
            p, ul { margin: 0; }
            ul { padding-left: 1.2rem; }
            a { color: var(--calm); }
            code { font: .85rem/1.5 ui-monospace, monospace; }
            section {
              margin-top: 1rem; padding: 1rem 1.25rem; background: var(--sheet); border: 1px solid var(--line);
              border-radius: .5rem;
            }
            .quiet, small { color: var(--quiet); }
            small { display: block; font-size: .8rem; }
            .wrong { color: var(--wrong); }
            section.wrong { background: var(--wrong-sheet); border-color: var(--wrong); color: inherit; }
            section.wrong h2 { color: var(--wrong); }
            dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .75rem 1rem; margin: 0; }
            dt { color: var(--quiet); font-size: .85rem; }
            dd { margin: 0; font-size: 1.5rem; line-height: 1.3; }
            dd small { font-size: .8rem; }
            table { width: 100%; margin-top: 1rem; border-collapse: collapse; }
            h2 + table { margin-top: 0; }
            caption { padding-bottom: .25rem; text-align: left; font-weight: 600; }
            th, td { padding: .5rem 1rem .5rem 0; vertical-align: top; text-align: left; font-weight: normal; }
            thead th { color: var(--quiet); font-size: .85rem; border-bottom: 1px solid var(--line); }
            tbody tr + tr > * { border-top: 1px solid var(--line); }
            tbody th, code, li { overflow-wrap: anywhere; }
            tbody th { min-width: 12rem; }
            td time { white-space: nowrap; }
            progress { display: block; width: 100%; min-width: 10rem; height: .6rem; accent-color: var(--calm); }
            @media (max-width: 45rem) {
              thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
              table, caption, tbody, tr, tbody th, td { display: block; width: 100%; }
              tbody tr { padding: .5rem 0; }
              tbody tr + tr { border-top: 1px solid var(--line); }
              tbody tr + tr > * { border-top: 0; }
              tbody th, td { padding: .15rem 0; }
              td { display: grid; grid-template-columns: 7.5rem 1fr; gap: 0 .75rem; }
              td::before { content: attr(data-heading); color: var(--quiet); font-size: .85rem; }
              td > * { grid-column: 2; }
            }
            """;

    private Style() {}

    /** What a Content-Security-Policy says to allow this style and no other. */
    static String source() {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(CSS.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
