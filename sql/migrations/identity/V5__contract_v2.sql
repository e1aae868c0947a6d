-- Dual publishing (EVT-13): the value of the same event under ContractVersion 2, beside or instead of that under 1. Still
-- one row per event: both records carry the same MessageId and leave together.
alter table identity.outbox
    alter column payload drop not null,
    add column payload_v2 bytea,
    add constraint ck_outbox_payload check (payload is not null or payload_v2 is not null);
