import type { Caller } from '../../contract/route.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { type KnownHost, readHosts, theRemote } from './host-rows.ts'
import { shownKey } from './shown-key.ts'
import { KEY_TYPES, readHostKey } from './ssh/host-key.ts'

/** The key itself, as text with one in it; or the fingerprint of the one that the machine has shown. */
export interface GivenKey {
  readonly host_key?: string | undefined
  readonly fingerprint?: string | undefined
}

/**
 * Makes a host key the one that a machine must show. What was known about the machine is about another one then, unless
 * it is the same key again. @throws {AppError} not_found, host_is_local, bad_host_key, host_key_unknown
 */
export async function pinRow(
  trx: Trx,
  audit: Pick<AuditLog, 'record'>,
  caller: Caller,
  host_id: string,
  given: GivenKey,
): Promise<void> {
  const host = theRemote(await readHosts(trx), host_id)
  const own = await trx.selectFrom('ssh_key').select('public_key').execute()
  const host_key = keyOf(
    host,
    given,
    own.map(({ public_key }) => public_key),
  )
  const pinned_by = caller.display_name || caller.username
  await trx
    .updateTable('host')
    .set({ host_key, pinned_at: Date.now(), pinned_by })
    .where('host_id', '=', host_id)
    .execute()
  if (host_key !== host.host_key) await trx.deleteFrom('host_state').where('host_id', '=', host_id).execute()
  const details = {
    host_id,
    ...shownKey(host_key),
    // Who compared it on a screen, and who brought it from the machine.
    given: given.host_key === undefined ? 'fingerprint' : 'host_key',
    ...(host.host_key !== null && { before: shownKey(host.host_key).fingerprint }),
  }
  await audit.record(trx, { actor: caller, action: 'host.pinned', target: host.name, outcome: 'ok', details })
}

/** @param own Reeve's own keys: the setup script names one as well, so all that it has printed may be given. */
function keyOf({ host_key: pinned, found }: KnownHost, given: GivenKey, own: readonly string[]): string {
  if (given.host_key !== undefined) {
    const ours = own.flatMap((line) => readHostKey(line)?.bytes ?? [])
    const keys = given.host_key.split('\n').flatMap((line) => readHostKey(line) ?? [])
    const theirs = keys.filter(({ bytes }) => !ours.some((key) => key.equals(bytes)))
    const [best] = theirs.toSorted((a, b) => KEY_TYPES.indexOf(a.type) - KEY_TYPES.indexOf(b.type))
    if (best !== undefined) return best.bytes.toString('base64')
    throw new AppError(
      'bad_host_key',
      say`There is no host key in this. Paste what the setup script printed at its end: a line such as “ssh-ed25519 AAAA…”.`,
    )
  }
  const seen = [found?.offered_key, pinned].filter((key) => key != null)
  const key = seen.find((one) => shownKey(one).fingerprint === given.fingerprint)
  if (key !== undefined) return key
  throw new AppError(
    'host_key_unknown',
    say`The machine has not shown a host key with this fingerprint. Ask it for its key again, and compare.`,
  )
}
