package routes.consuming;

/** The one way in which the routes of this project read a topic. */
public final class KafkaBatches {

    private KafkaBatches() {}

    /**
     * The endpoint that delivers a topic's records in batches, each as a list of exchanges, and commits nothing by itself:
     * a batch that fails is read again, from the committed offsets, after the partitions were taken anew.
     *
     * @param prefix of the settings {@code topic}, {@code group}, {@code batch-size}, {@code consumers} and
     *     {@code max-poll-interval}
     * @param consumer the consumer's name: what its clients are called, and the id of its route
     */
    public static String of(String prefix, String consumer) {
        return "kafka:{{" + prefix + ".topic}}?groupId={{" + prefix + ".group}}"
                + "&brokers={{kafka.brokers}}&clientId=" + consumer
                + "&kafkaClientFactory=#consumerClients"
                + "&keyDeserializer=org.apache.kafka.common.serialization.ByteArrayDeserializer"
                + "&valueDeserializer=org.apache.kafka.common.serialization.ByteArrayDeserializer"
                + "&headerFilterStrategy=#noHeaders"
                + "&autoOffsetReset=earliest&isolationLevel=read_committed"
                + "&batching=true&maxPollRecords={{" + prefix + ".batch-size}}"
                // Whatever the last poll has brought goes out after the next, which does not wait for more (PatientConsumer).
                + "&pollTimeoutMs=100&batchingIntervalMs=0"
                + "&consumersCount={{" + prefix + ".consumers}}"
                + "&maxPollIntervalMs={{" + prefix + ".max-poll-interval}}"
                // A consumer that was killed is missed after 10 s, not after Kafka's 45.
                + "&sessionTimeoutMs=10000&heartbeatIntervalMs=3000"
                + "&autoCommitEnable=false&allowManualCommit=true&kafkaManualCommitFactory=#offsetCommits"
                + "&breakOnFirstError=true&pollOnError=RECONNECT"
                + "&reconnectBackoffMaxMs=1000&shutdownTimeout=10000";
    }
}
