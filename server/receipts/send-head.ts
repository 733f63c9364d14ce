import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openGuardedFetch } from '../kernel/network/guarded-fetch.ts'
import type { HeadPlaces } from './places.ts'
import { sendSyslog } from './syslog.ts'

/** Milliseconds for one attempt. */
const LIMIT = 15_000
/** Bytes read of what a webhook answers. */
const ANSWER = 64 * 1024

/** Sends one head, a line of JSON, to one place. `head` names it. @throws {Error} that says why it did not arrive */
export const SENDERS: {
  readonly [Place in keyof HeadPlaces]: (
    to: NonNullable<HeadPlaces[Place]>,
    head: { readonly envelope: string; readonly signed_at: number; readonly machine: string },
    signal: AbortSignal,
  ) => Promise<void>
} = {
  file: (file, { envelope }) => append(file, envelope),
  webhook: ({ url, token }, { envelope }, signal) => post(url, token, envelope, signal),
  syslog: (address, head, signal) =>
    sendSyslog(address, { ...head, text: head.envelope }, AbortSignal.any([signal, AbortSignal.timeout(LIMIT)])),
}

/** Appends a line that is on the disk when this resolves. What was torn by a crash stays a line of its own. */
async function append(path: string, line: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(path, 'a+', 0o600)
  try {
    const { size } = await file.stat()
    const last = Buffer.alloc(1)
    const torn = size > 0 && (await file.read(last, 0, 1, size - 1)).bytesRead === 1 && last[0] !== 10
    await file.appendFile(`${torn ? '\n' : ''}${line}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  const place = await open(folder)
  try {
    await place.sync()
  } finally {
    await place.close()
  }
}

async function post(url: string, token: string | null, body: string, signal: AbortSignal): Promise<void> {
  // The administrator of the machine names the address, which may well be in this network; metadata services never are.
  await using guarded = openGuardedFetch({ allowPrivate: true, maxBytes: ANSWER })
  const answer = await guarded.fetch(url, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT)]),
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`It answered with status ${answer.status}.`)
}
