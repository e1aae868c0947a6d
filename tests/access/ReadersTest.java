package tests.access;

import static org.assertj.core.api.Assertions.assertThat;
import static tests.support.AccessChange.ofAssignments;
import static tests.support.AccessChange.ofRole;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import tests.support.AccessChange;
import tests.support.AccessChange.Assignment;
import tests.support.CacheSystem;

/** The statements are those of docs/access-cache.md, as they stand there. */
@DisplayName("Readers of the access cache")
class ReadersTest {

    private static final List<String> STATEMENTS = statements();
    private static final String MAY = statement("as answer");
    private static final String KEEP = statement("insert into resolved_access");
    private static final String RESOLVED = statement("select r.permissions");
    private static final String KEEP_ROLE = statement("insert into role_permissions");
    private static final String INVALIDATE = statement("insert into access_cache.voided");

    @RegisterExtension
    final CacheSystem system = new CacheSystem();

    private final UUID user = UUID.randomUUID();
    private final UUID role = UUID.randomUUID();
    private final Assignment agent = Assignment.of(role, "agent");

    @BeforeEach
    void readersTables() {
        system.sql().execute(statement("create table role_permissions"));
        system.sql()
                .execute(
                        "create table resolved_access (user_id uuid primary key, permissions text, asked_at timestamptz)");
        system.start();
    }

    @Test
    @DisplayName("EVT-07 may user U do P in scope S: yes, no, or ask identity")
    void may() {
        assertThat(may("edit", agent.organization()))
                .as("nobody has told of the user")
                .isEqualTo("ask");
        handle(ofAssignments(user, 1, agent));
        assertThat(may("edit", agent.organization()))
                .as("the role's permissions are not known")
                .isEqualTo("ask");
        assertThat(may("edit", UUID.randomUUID())).as("another organization").isEqualTo("no");

        askForRole("edit");
        assertThat(may("edit", agent.organization())).isEqualTo("yes");
        assertThat(may("delete", agent.organization())).isEqualTo("no");

        handle(ofRole(user, role, 2, agent));
        assertThat(may("edit", agent.organization()))
                .as("the role has changed since it was asked for")
                .isEqualTo("ask");
        askForRole("delete");
        assertThat(may("edit", agent.organization())).isEqualTo("no");
        assertThat(may("delete", agent.organization())).isEqualTo("yes");

        handle(ofAssignments(user, 2));
        assertThat(may("delete", agent.organization())).as("revoked").isEqualTo("no");
        handle(ofAssignments(user, 3).value("broken"));
        assertThat(may("delete", agent.organization())).as("invalidated").isEqualTo("ask");
    }

    @Test
    @DisplayName("cases 45 a load that began before an invalidation does not put the old picture back after it")
    void slowLoad() {
        handle(ofAssignments(user, 1, agent));
        var began = now();
        keep("edit", began);
        assertThat(resolved()).isEqualTo("edit");

        var slow = now();
        handle(ofAssignments(user, 2));
        assertThat(resolved()).as("void").isNull();
        keep("edit", slow);
        assertThat(resolved()).as("the slow load").isNull();

        keep("nothing", now());
        keep("edit", slow);
        assertThat(resolved()).as("the slow load, after a new one").isEqualTo("nothing");
    }

    @Test
    @DisplayName(
            "cases 45 a slow load of a role's permissions does not bring back one that the role has lost meanwhile")
    void slowLoadOfRole() {
        handle(ofAssignments(user, 1, agent));
        var slow = now();
        handle(ofRole(user, role, 2, agent));
        keepRole("delete", now());

        keepRole("edit", slow);

        assertThat(may("edit", agent.organization())).isEqualTo("no");
        assertThat(may("delete", agent.organization())).isEqualTo("yes");
    }

    @Test
    @DisplayName(
            "EVT-07 a role that changed while nobody had it is asked for again by whoever is given it, and by nobody else")
    void changedWhileNobodyHadIt() {
        var other = AccessChange.Assignment.of(UUID.randomUUID(), "observer");
        handle(ofAssignments(user, 1, agent));
        askForRole("edit");
        handle(ofAssignments(user, 2));
        handle(ofAssignments(user, 3, other, agent));

        assertThat(may("edit", agent.organization())).isEqualTo("ask");

        askForRole("delete");
        handle(ofAssignments(user, 4, agent));
        assertThat(may("delete", agent.organization()))
                .as("has lost another role, and got none")
                .isEqualTo("yes");
        handle(ofAssignments(user, 5).value("broken"));
        handle(ofAssignments(user, 6, agent));
        assertThat(may("delete", agent.organization()))
                .as("nobody knows what was between")
                .isEqualTo("ask");
    }

    @Test
    @DisplayName(
            "cases 47 a cache that is invalidated by hand knows nobody, until an announcement of the same version repairs it")
    void invalidatedByHand() {
        handle(ofAssignments(user, 1, agent));
        askForRole("edit");
        keep("edit", now());

        system.sql().execute(INVALIDATE);

        assertThat(may("edit", agent.organization())).isEqualTo("ask");
        assertThat(resolved()).isNull();
        handle(ofAssignments(user, 1, agent));
        askForRole("edit");
        assertThat(may("edit", agent.organization())).isEqualTo("yes");
    }

    private String may(String permission, UUID organization) {
        var parameters = new HashMap<String, Object>(Map.of(
                "user", user, "permission", permission, "organization", organization, "project", UUID.randomUUID()));
        parameters.put("project_group", UUID.randomUUID());
        return named().queryForObject(MAY, parameters, String.class);
    }

    private void askForRole(String permission) {
        keepRole(permission, now());
    }

    private void keepRole(String permission, OffsetDateTime askedAt) {
        named().update(KEEP_ROLE, Map.of("role", role, "permissions", "{" + permission + "}", "asked_at", askedAt));
    }

    private void keep(String permissions, OffsetDateTime askedAt) {
        named().update(KEEP, Map.of("user", user, "permissions", permissions, "asked_at", askedAt));
    }

    private @Nullable String resolved() {
        return named().queryForList(RESOLVED, Map.of("user", user), String.class).stream()
                .findFirst()
                .orElse(null);
    }

    private OffsetDateTime now() {
        return system.sql().queryForObject("select clock_timestamp()", OffsetDateTime.class);
    }

    private NamedParameterJdbcTemplate named() {
        return new NamedParameterJdbcTemplate(system.sql());
    }

    private void handle(AccessChange... events) {
        system.send(events);
        system.awaitHandled();
    }

    private static String statement(String part) {
        return STATEMENTS.stream()
                .filter(statement -> statement.contains(part))
                .findFirst()
                .orElseThrow(() -> new AssertionError("docs/access-cache.md has no statement with " + part));
    }

    private static List<String> statements() {
        try {
            return Pattern.compile("(?s)```sql\\n(.*?)```")
                    .matcher(Files.readString(Path.of("docs/access-cache.md")))
                    .results()
                    .map(block -> block.group(1).strip())
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
