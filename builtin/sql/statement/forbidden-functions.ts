import type { Dialect } from '../sql-database.ts'

/**
 * Functions that a read-only transaction does not prevent: they act on the server, files or other connections, or run
 * text as unchecked SQL. The real protection is the database's own privileges; this covers accounts that were given too
 * many.
 */
export const FORBIDDEN_FUNCTIONS: Record<Dialect, RegExp> = {
  postgres: new RegExp(
    `^(${[
      'set_config|setval|nextval',
      'lo_\\w+|lowrite|loread',
      'pg_(terminate|cancel)_backend|pg_reload_conf|pg_rotate_logfile\\w*|pg_promote|pg_switch_wal|pg_create_\\w+|pg_drop_\\w+|pg_copy_\\w+_slot',
      'pg_(wal_replay|backup|replication|logical|notify|advisory|try_advisory|stat_reset|stat_statements_reset|log_|sync_|import_|extension_|restore_|clear_|set_)\\w*|pg_nextoid|pg_stop_\\w+|pg_start_\\w+',
      'pg_(read|ls|stat|file|write)_(binary_)?file\\w*|pg_ls_\\w+|pg_file_\\w+|pg_logdir_ls|pg_current_logfile|pg_sequence_\\w+_set',
      'dblink\\w*|query_to_xml\\w*|cursor_to_xml\\w*|ts_stat|ts_rewrite|crosstab\\w*|connectby\\w*|xml2_\\w+|xpath_table',
      'postgres_fdw_\\w+|pg_stat_force_\\w+|brin_\\w+|gin_clean_pending_list|amcheck_\\w+',
    ].join('|')})$`,
    'i',
  ),
  mysql:
    /^(load_file|nextval|setval|sys_exec|sys_eval|sys_set|get_lock|release_lock|release_all_locks|master_pos_wait|source_pos_wait|wait_for_executed_gtid_set|group_replication_\w+|asynchronous_connection_\w+|gtid_\w+|keyring_\w+|audit_log_\w+|set_firewall_\w+)$/i,
  sqlite: /^(load_extension|writefile|edit|fts3_tokenizer|readfile|sqlite_\w*config\w*|shell_\w+)$/i,
}
