-- Completed tasks leave after a configured age, in small steps (OPS-07). Failed ones stay until somebody has looked.
create index ix_access_fanout_tasks_completed on identity.access_fanout_tasks (completed_at)
    where status = 'Completed';
