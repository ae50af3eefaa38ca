"""A client of Weir that knows nothing but proto/: creates a topic, writes 10,000 records, reads them back, asks a
broker that does not lead and follows its hint. Prints one JSON line; exits 0 when everything held.

usage: client.py BOOTSTRAP GENERATED_DIR      (GENERATED_DIR: what grpc_tools.protoc made from proto/*.proto)
"""

import json
import sys
import uuid

import grpc

sys.path.insert(0, sys.argv[2])
import admin_pb2  # noqa: E402
import admin_pb2_grpc  # noqa: E402
import common_pb2  # noqa: E402
import data_pb2  # noqa: E402
import data_pb2_grpc  # noqa: E402

RECORDS = 10_000
PARTITIONS = 3
PER_REQUEST = 500
TIMEOUT_S = 10
NOT_LEADER_OR_FOLLOWER = 6
UNKNOWN_TOPIC_OR_PARTITION = 3


class Client:
    """One channel for each broker address."""

    def __init__(self, bootstrap):
        self.bootstrap = bootstrap.split(",")
        self.channels = {}

    def channel(self, address):
        if address not in self.channels:
            self.channels[address] = grpc.insecure_channel(address)
        return self.channels[address]

    def data(self, address):
        return data_pb2_grpc.DataStub(self.channel(address))

    def admin(self):
        return admin_pb2_grpc.AdminStub(self.channel(self.bootstrap[0]))

    def metadata(self, topic):
        return self.data(self.bootstrap[0]).GetMetadata(
            data_pb2.GetMetadataRequest(topics=[topic]), timeout=TIMEOUT_S)

    def close(self):
        for channel in self.channels.values():
            channel.close()


def record(number):
    key = None if number % 10 == 0 else f"key-{number % 97}".encode()
    value = None if number % 50 == 0 else bytes([number % 256, 0xFF]) + str(number).encode()
    return common_pb2.Record(
        key=key, value=value, timestamp=1_700_000_000_000 + number,
        headers=[common_pb2.Header(key="n", value=str(number).encode()), common_pb2.Header(key="null")])


def produce(client, topic, partition, address, records):
    """Returns the results' first status: the caller decides what a wrong leader means."""
    response = client.data(address).Produce(data_pb2.ProduceRequest(
        acks=-1, timeout_ms=5000, partitions=[data_pb2.ProducePartition(
            topic=topic, partition=partition, records=data_pb2.RecordList(records=records, compression="gzip"))]),
        timeout=TIMEOUT_S)
    return response.partitions[0]


def fetch_all(client, topic, partition, address, count):
    records, offset = [], 0
    while len(records) < count:
        response = client.data(address).Fetch(data_pb2.FetchRequest(
            max_wait_ms=1000, min_bytes=1, form=data_pb2.RECORDS, partitions=[data_pb2.FetchPartition(
                topic=topic, partition=partition, offset=offset)]), timeout=TIMEOUT_S)
        result = response.partitions[0]
        assert result.status.code == 0, result.status
        assert result.records, f"nothing at offset {offset} of {partition}, {len(records)} of {count}"
        records.extend(result.records)
        offset = result.next_offset
    return records


def same(sent, got):
    return (sent.HasField("key") == got.HasField("key") and sent.key == got.key
            and sent.HasField("value") == got.HasField("value") and sent.value == got.value
            and sent.timestamp == got.timestamp and list(sent.headers) == list(got.headers))


def main():
    client = Client(sys.argv[1])
    topic = f"python-{uuid.uuid4().hex[:8]}"
    created = client.admin().CreateTopics(admin_pb2.CreateTopicsRequest(topics=[
        admin_pb2.NewTopic(name=topic, partitions=PARTITIONS, replication_factor=3)]), timeout=TIMEOUT_S)
    assert created.topics[0].status.code == 0, created.topics[0].status
    again = client.admin().CreateTopics(admin_pb2.CreateTopicsRequest(topics=[
        admin_pb2.NewTopic(name=topic, partitions=1, replication_factor=1)]), timeout=TIMEOUT_S)
    assert again.topics[0].status.name == "TOPIC_ALREADY_EXISTS", again.topics[0].status

    metadata = client.metadata(topic)
    addresses = {broker.id: broker.address for broker in metadata.brokers}
    leaders = {p.partition: addresses[p.leader] for p in metadata.topics[0].partitions}
    sent = {partition: [] for partition in range(PARTITIONS)}
    for start in range(0, RECORDS, PER_REQUEST):
        partition = (start // PER_REQUEST) % PARTITIONS
        batch = [record(number) for number in range(start, start + PER_REQUEST)]
        result = produce(client, topic, partition, leaders[partition], batch)
        assert result.status.code == 0, result.status
        assert result.base_offset == len(sent[partition]), result
        sent[partition].extend(batch)

    wrong = next(address for address in addresses.values() if address != leaders[0])
    refused = produce(client, topic, 0, wrong, [record(RECORDS + 1)])
    assert refused.status.code == NOT_LEADER_OR_FOLLOWER, refused.status
    hint = refused.status.leader
    assert hint.address == leaders[0], (hint, leaders[0])
    followed = produce(client, topic, 0, hint.address, [record(RECORDS + 1)])
    assert followed.status.code == 0, followed.status
    sent[0].append(record(RECORDS + 1))

    equal = 0
    for partition, expected in sent.items():
        got = fetch_all(client, topic, partition, leaders[partition], len(expected))
        assert [r.offset for r in got] == list(range(len(expected)))
        equal += sum(same(a, b) for a, b in zip(expected, got))

    missing = produce(client, "no-such-topic", 0, leaders[0], [record(1)])
    assert missing.status.code == UNKNOWN_TOPIC_OR_PARTITION, missing.status
    client.close()
    print(json.dumps({"topic": topic, "produced": RECORDS + 1, "fetchedEqual": equal,
                      "wrongLeader": refused.status.name, "hintFollowed": hint.address}))
    sys.exit(0 if equal == RECORDS + 1 else 1)


main()
