package tests.operations;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.apache.camel.RuntimeCamelException;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.mock.MockEndpoint;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.opentelemetry2.OpenTelemetryTracer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;
import processors.identity.AccessChanged;
import processors.identity.AssignmentGrant;
import processors.identity.ResourceScope;
import processors.identity.RoleChange;
import processors.identity.RoleChanged;
import tests.support.Causes;
import tests.support.NewsSystem;
import tests.support.OtlpEndpoint;
import tests.support.OtlpEndpoint.Span;
import tests.support.TestSystem;
import tests.support.UserEvent;

@DisplayName("Traces")
class TracesTest {

    private static final String CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String CALLERS_TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String CALLERS_SPAN = "b7ad6b7169203331";

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @RegisterExtension
    final NewsSystem news = new NewsSystem();

    private final OtlpEndpoint endpoint = new OtlpEndpoint();

    @AfterEach
    void closeEndpoint() {
        endpoint.close();
    }

    @Test
    @DisplayName(
            "FAN-18 a task, its pages, the records and the consumer's receive, handle and store are one trace; two tasks at once are two (cases 42)")
    void oneTrace() throws Exception {
        var identity = system.identity();
        var first = identity.role("agent", "crm.secret.read");
        var second = identity.role("manager");
        var firstUsers = identity.usersOf(first, 25);
        var secondUsers = identity.usersOf(second, 25);
        start("identity.fanout.batch-size", "10", "identity.fanout.polling-interval", "50ms");
        system.start(traced("identity.fanout.batch-size", "10", "identity.fanout.polling-interval", "50ms"));
        var tasks = List.of(identity.enqueue(first), identity.enqueue(second));

        var records = system.topic().records(50);
        await().untilAsserted(() -> assertThat(counts("store")).isEqualTo(50));
        await().untilAsserted(() -> assertThat(counts("receive")).isEqualTo(50));
        await().untilAsserted(() -> assertThat(counts("publish")).isEqualTo(50));
        await().untilAsserted(() -> assertThat(endpoint.spans("fan-out-task")).hasSize(2));

        var spans = endpoint.spans().stream().collect(toMap(Span::id, Function.identity()));
        var traceOfRole = endpoint.spans("fan-out-task").stream()
                .collect(toMap(task -> UUID.fromString(task.attribute("roleId")), Span::traceId));
        assertThat(traceOfRole.get(first)).isNotEqualTo(traceOfRole.get(second));
        for (var task : endpoint.spans("fan-out-task")) {
            assertThat(task.parentId()).isEmpty();
            assertThat(tasks).contains(UUID.fromString(task.attribute("taskId")));
            assertThat(task.attributes())
                    .containsOnlyKeys(
                            "jobRunId", "taskId", "roleId", "attempt", "batchSize", "processedCount", "result")
                    .containsEntry("batchSize", "10")
                    .containsEntry("processedCount", "25")
                    .containsEntry("result", "completed");
            assertThat(endpoint.spans("fan-out-page").stream()
                            .filter(page -> page.parentId().equals(task.id()))
                            .peek(page -> assertThat(page.attributes()).containsOnlyKeys("rows"))
                            .map(page -> page.attribute("rows")))
                    .containsExactlyInAnyOrder("10", "10", "5");
        }
        for (var record : records) {
            var role = firstUsers.contains(record.user()) ? first : second;
            var page = endpoint.spans("fan-out-page").stream()
                    .filter(span -> span.isNamedBy(record.header("traceparent")))
                    .toList();
            assertThat(page).as("the page of a record").hasSize(1);
            assertThat(page.get(0).traceId()).isEqualTo(traceOfRole.get(role));
            assertThat(record.header("CorrelationId"))
                    .isEqualTo(spans.get(page.get(0).parentId()).attribute("jobRunId"));
        }
        for (var name : List.of("publish", "receive")) {
            assertThat(endpoint.spans(name).stream().collect(groupingBy(Span::parentId, summingInt(TracesTest::count))))
                    .as(name)
                    .isEqualTo(endpoint.spans("fan-out-page").stream()
                            .collect(groupingBy(Span::id, summingInt(page -> rows(page)))));
        }
        assertThat(endpoint.spans("handle"))
                .isNotEmpty()
                .allSatisfy(handle ->
                        assertThat(spans.get(handle.parentId()).name()).isEqualTo("receive"));
        assertThat(endpoint.spans("store"))
                .isNotEmpty()
                .allSatisfy(
                        store -> assertThat(spans.get(store.parentId()).name()).isEqualTo("handle"));
        assertThat(endpoint.spans("receive").stream()
                        .map(receive -> receive.attribute("messaging.consumer.group.name"))
                        .collect(toSet()))
                .containsExactly("gateway");
        // Whatever has a parent is in the parent's trace, and nothing is in a third one.
        assertThat(endpoint.spans().stream().map(Span::traceId).collect(toSet()))
                .isEqualTo(Map.copyOf(traceOfRole).values().stream().collect(toSet()));
        assertThat(endpoint.spans()).allSatisfy(span -> {
            assertThat(span.resource())
                    .containsEntry("service.name", "access-routes")
                    .containsKey("service.instance.id");
            if (!span.parentId().isEmpty()) {
                assertThat(spans.get(span.parentId()).traceId()).isEqualTo(span.traceId());
            }
        });
        assertThat(firstUsers).doesNotContainAnyElementsOf(secondUsers);
        assertNothingPersonal(
                "select id::text from identity.users union all select id::text from identity.role_assignments"
                        + " union all values ('crm.secret'), ('agent'), ('manager')");
    }

    @Test
    @DisplayName(
            "REP-20 receive, handle and store join the producer's trace, once for all of its records; a record without or with a broken traceparent is applied all the same")
    void consumersJoin() {
        var users = new ArrayList<UUID>();
        var events = new ArrayList<UserEvent>();
        for (int i = 0; i < 7; i++) {
            users.add(UUID.randomUUID());
            events.add(UserEvent.upserted(users.get(i), 1, "Qmarked", "Petrov"));
        }
        events.get(0).header("traceparent", CALLER);
        events.get(1).header("traceparent", CALLER);
        events.get(2).header("traceparent", CALLER.replace("0af765", "1bf765"));
        events.get(3).header("traceparent", "garbage");
        events.get(4).header("traceparent", new byte[] {(byte) 0xC3, (byte) 0x28});
        events.get(5).header("traceparent", CALLER.replace("-01", "-00")); // the producer does not record it
        news.send(events, 0);
        news.start("tracing.otlp-endpoint", endpoint.url());
        news.awaitHandled();

        assertThat(news.rows()).isEqualTo(7);
        assertThat(news.deadLetters()).isEmpty();
        await().untilAsserted(() -> assertThat(counts("receive")).isEqualTo(6));
        await().untilAsserted(() -> assertThat(counts("store")).isEqualTo(6));
        assertThat(endpoint.spans("receive").stream()
                        .collect(groupingBy(Span::parentId, summingInt(TracesTest::count))))
                .isEqualTo(Map.of(CALLERS_SPAN, 3, "", 3));
        var ofCaller = endpoint.spans().stream()
                .filter(span -> span.traceId().equals(CALLERS_TRACE))
                .toList();
        assertThat(ofCaller.stream().map(Span::name)).containsExactlyInAnyOrder("receive", "handle", "store");
        for (var step : List.of("handle", "store")) {
            var parent = step.equals("handle") ? "receive" : "handle";
            assertThat(find(ofCaller, step).parentId())
                    .isEqualTo(find(ofCaller, parent).id());
        }
        assertThat(find(ofCaller, "receive").attributes())
                .containsEntry("messaging.batch.message_count", "2")
                .containsEntry("messaging.destination.name", news.topic())
                .containsEntry("messaging.consumer.group.name", news.group());
        users.forEach(user -> assertThat(endpoint.spans().toString()).doesNotContain(user.toString()));
        assertThat(endpoint.spans().toString()).doesNotContain("Qmarked", "Petrov", "+7999", "example.org");
    }

    @Test
    @DisplayName(
            "FAN-18 every other cause is a span in its caller's trace; it is rejected without a word about whom, and leaves nothing behind for the next")
    void otherCauses() {
        var identity = system.identity();
        var role = identity.role("agent", "crm.secret.read");
        var user = identity.user(null);
        var application = system.start(traced());
        var template = application.camel().createProducerTemplate();
        var grant = AssignmentGrant.of(user, role, ResourceScope.platform());
        var nobody = AssignmentGrant.of(UUID.randomUUID(), role, ResourceScope.platform());

        MDC.put("correlationId", "of the caller");
        template.requestBodyAndHeader("direct:grant-assignment", grant, "traceparent", CALLER, AccessChanged.class);
        assertThatThrownBy(() -> template.requestBodyAndHeader(
                        "direct:grant-assignment", nobody, "traceparent", CALLER, AccessChanged.class))
                .isInstanceOf(RuntimeCamelException.class);
        assertThat(MDC.getCopyOfContextMap())
                .as("what is left on the thread")
                .isEqualTo(Map.of("correlationId", "of the caller"));
        MDC.clear();
        template.requestBodyAndHeader(
                "direct:set-role-permissions",
                RoleChange.add(role, "crm.secret.write"),
                "traceparent",
                "nonsense",
                RoleChanged.class);
        new Causes(application).revoke(grant.assignmentId());
        identity.sql()
                .queryForList("select identity.announce_access(array[?]::uuid[], 'AssignmentRevoked')::text", user);

        var records = system.topic().records(4);
        await().untilAsserted(() -> assertThat(counts("publish")).isEqualTo(4));
        var granted = endpoint.spans("grant-assignment");
        assertThat(granted).hasSize(2).allSatisfy(span -> {
            assertThat(span.traceId()).isEqualTo(CALLERS_TRACE);
            assertThat(span.parentId()).isEqualTo(CALLERS_SPAN);
        });
        assertThat(granted.get(0).attributes()).isEqualTo(Map.of("rows", "1"));
        assertThat(granted.get(1).failed()).isTrue();
        assertThat(granted.get(1).events())
                .containsExactly(Map.of(
                        "name", "exception", "exception.type", "processors.identity.AssignmentRejectedException"));
        var traces = new ArrayList<String>();
        for (var cause :
                List.of("grant-assignment", "set-role-permissions", "revoke-assignments", "announcements-page")) {
            var span = endpoint.spans(cause).get(0);
            assertThat(records.stream().filter(record -> span.isNamedBy(record.header("traceparent"))))
                    .as("records of " + cause)
                    .hasSize(1);
            traces.add(span.traceId());
            assertThat(span.parentId()).isEqualTo(cause.equals("grant-assignment") ? CALLERS_SPAN : "");
        }
        assertThat(traces).doesNotHaveDuplicates();
        assertThat(endpoint.spans("announcements-page"))
                .as("a job that has nothing to do is no span")
                .hasSize(1);
        assertThat(endpoint.spans("expiry-page")).isEmpty();
        assertThat(endpoint.spans().toString()).doesNotContain(nobody.userId().toString());
        assertNothingPersonal(
                "select id::text from identity.users union all select id::text from identity.role_assignments"
                        + " union all values ('crm.secret'), ('agent')");
    }

    @Test
    @DisplayName(
            "FAN-18 a page that fails is a span that says why, without words of the database; the next try is another one")
    void failedPage() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 3);
        identity.failAppends(2);
        identity.enqueue(role);

        system.start(traced());

        await().untilAsserted(() -> assertThat(endpoint.spans("fan-out-task")).hasSize(1));
        var pages = endpoint.spans("fan-out-page");
        assertThat(pages).hasSize(3);
        assertThat(pages.subList(0, 2)).allSatisfy(page -> {
            assertThat(page.failed()).isTrue();
            assertThat(page.attribute("rows")).isEqualTo("0");
            assertThat(page.events())
                    .singleElement()
                    .satisfies(event -> assertThat(event)
                            .containsEntry("exception.type", "org.postgresql.util.PSQLException")
                            .containsEntry("db.response.status_code", "40P01"));
        });
        assertThat(pages.get(2).failed()).isFalse();
        assertThat(pages.get(2).attribute("rows")).isEqualTo("3");
        assertThat(endpoint.spans("fan-out-task").get(0).attribute("result")).isEqualTo("completed");
        assertThat(endpoint.spans().toString()).doesNotContain("marked");
    }

    @Test
    @DisplayName("FAN-18 a stop sends what it has, the task that it hands back included")
    void handedBack() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 2_000);
        var task = identity.enqueue(role);
        var application = system.start(traced("identity.fanout.batch-size", "1"));
        await().until(() -> (int) identity.task(task).get("processed_count") > 0);

        application.close();

        assertThat(identity.status(task)).isEqualTo("InProgress");
        assertThat(endpoint.spans("fan-out-task")).singleElement().satisfies(span -> {
            assertThat(span.attribute("result")).isEqualTo("handed-back");
            assertThat(span.attribute("processedCount"))
                    .isEqualTo(identity.task(task).get("processed_count").toString());
        });
    }

    @Test
    @DisplayName(
            "FAN-18 with tracing off nothing of it runs, and no record names a trace; a share of 0 records nothing")
    void off() {
        var identity = system.identity();
        var user = identity.user(null);
        var role = identity.role("agent");
        var plain = system.start();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("BatchSpanProcessor"));
        plain.camel()
                .createProducerTemplate()
                .requestBodyAndHeader(
                        "direct:grant-assignment",
                        AssignmentGrant.of(user, role, ResourceScope.platform()),
                        "traceparent",
                        CALLER);
        assertThat(system.topic().records(1).get(0).headers()).doesNotContainKey("traceparent");
        plain.close();

        var unrecorded = system.start(traced("tracing.sample-ratio", "0"));
        new Causes(unrecorded).grant(user, identity.role("another"));
        var traceparents = system.topic().records(2).stream()
                .map(record -> record.headers().get("traceparent"))
                .filter(Objects::nonNull)
                .toList();
        assertThat(traceparents).hasSize(1);
        assertThat(Integer.parseInt(traceparents.get(0).substring(53), 16) & 1)
                .as("the flag by which others shall record it too")
                .isZero();
        unrecorded.close();
        assertThat(endpoint.spans()).isEmpty();
    }

    @Test
    @DisplayName("FAN-18 an endpoint that is away holds up nothing, not even a stop, and is said once")
    void endpointAway() throws Exception {
        endpoint.close();
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 20);
        var process = system.startProcess(traced("identity.fanout.batch-size", "2"));
        var task = identity.enqueue(role);
        await().until(() -> identity.status(task).equals("Completed"));
        await().until(() -> process.output().contains("traces cannot be sent"));
        var another = identity.enqueue(role);
        await().until(() -> identity.status(another).equals("Completed"));
        system.topic().records(40);

        process.terminate();
        process.waitForExit(15);

        assertThat(process.output().lines().filter(line -> line.contains("traces cannot be sent")))
                .hasSize(1);
        assertThat(process.output()).doesNotContain("io.opentelemetry", "OtlpHttp", "ConnectException");
    }

    @Test
    @DisplayName(
            "REP-20 Camel's own tracer makes one span of a batch and joins the trace of none of its records: so ours stand beside the routes")
    void camelsOwnTracer() throws Exception {
        var spans = InMemorySpanExporter.create();
        var provider = SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(spans))
                .build();
        news.send(
                List.of(
                        UserEvent.upserted(UUID.randomUUID(), 1).header("traceparent", CALLER),
                        UserEvent.upserted(UUID.randomUUID(), 1).header("traceparent", CALLER)),
                0);
        try (var camel = new DefaultCamelContext()) {
            camel.getRegistry().bind("tracer", provider.get("camel"));
            camel.getRegistry().bind("propagators", ContextPropagators.create(W3CTraceContextPropagator.getInstance()));
            new OpenTelemetryTracer().init(camel);
            camel.addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("kafka:" + news.topic() + "?brokers=" + news.brokers() + "&groupId=camels-own"
                                    + "&autoOffsetReset=earliest&batching=true&maxPollRecords=2&pollTimeoutMs=100")
                            .routeId("batch")
                            .to("mock:handled");
                }
            });
            camel.start();
            await().until(() -> spans.getFinishedSpanItems().size() >= 2);

            assertThat(camel.getEndpoint("mock:handled", MockEndpoint.class).getReceivedExchanges())
                    .singleElement()
                    .satisfies(batch ->
                            assertThat(batch.getMessage().getBody(List.class)).hasSize(2));
        }
        assertThat(spans.getFinishedSpanItems())
                .noneMatch(span -> span.getTraceId().equals(CALLERS_TRACE));
        provider.close();
    }

    private AccessApplication start(String... more) throws Exception {
        return system.startWithAccessCache(traced(more));
    }

    private String[] traced(String... more) {
        var settings = new ArrayList<>(List.of("tracing.otlp-endpoint", endpoint.url()));
        settings.addAll(List.of(more));
        return settings.toArray(String[]::new);
    }

    /** @param foreign a query for what no span may hold */
    private void assertNothingPersonal(String foreign) {
        var all = endpoint.spans().toString();
        assertThat(system.identity().sql().queryForList(foreign, String.class))
                .isNotEmpty()
                .allSatisfy(text -> assertThat(all).doesNotContain(text));
    }

    private static Span find(List<Span> spans, String name) {
        return spans.stream()
                .filter(span -> span.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private int counts(String name) {
        return endpoint.spans(name).stream().mapToInt(TracesTest::count).sum();
    }

    private static int count(Span span) {
        return Integer.parseInt(span.attribute("messaging.batch.message_count"));
    }

    private static int rows(Span page) {
        return Integer.parseInt(page.attribute("rows"));
    }
}
