/**
 * Tables that are left out of every copy: sign-ins, links and the data of a single attempt are short-lived secrets, and
 * one that was ended must not come back with a restore; nor must a role that somebody had for a while, nor the processes
 * that were running; which of them ran a module, and where its data lie, holds for this installation alone. The
 * migrations are listed separately, and the search index is derived from its segments.
 */
const NOT_KEPT =
  /^(session|login_attempt|request_count|code_count|passkey_challenge|invitation|setup|elevation|conversation_import|object_listing|module_owner|module_call|process|revision|migration|search_index.*|sqlite_.*)$/

export interface Reference {
  readonly table: string
  /** The table that it refers to. */
  readonly to: string
}

/**
 * The tables to copy, each after those that it refers to. Tables that refer to an omitted table are omitted as well.
 */
export function keptTables(names: readonly string[], references: readonly Reference[]): string[] {
  const left = new Set(names.filter((name) => NOT_KEPT.test(name)))
  for (let before = -1; before !== left.size;) {
    before = left.size
    for (const { table, to } of references) if (left.has(to)) left.add(table)
  }
  const ordered: string[] = []
  const seen = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name) || left.has(name)) return
    seen.add(name)
    for (const { table, to } of references) if (table === name) visit(to)
    ordered.push(name)
  }
  for (const name of [...names].sort()) visit(name)
  return ordered
}

/** The row that keeps stored bytes while a backup is taken. */
export const HOLD_SETTING = 'backup_hold'
/** The row about the last attempt to back up that has not succeeded. */
export const ATTEMPT_SETTING = 'backup_attempt'
/** A condition that leaves out the settings about the copy itself, which are useless in it. */
export const NOT_OWN_SETTINGS = `key not in ('${HOLD_SETTING}', '${ATTEMPT_SETTING}')`
/** The row with the local CA that all processes share, sealed. */
export const LOCAL_CA_SETTING = 'tls.local_ca'
