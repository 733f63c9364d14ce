import { generateKeyPairSync } from 'node:crypto'
import { contract } from '../../../contract/index.ts'
import { startTestApp, type TestApp } from '../app.ts'
import type { ProblemAnswer, TestClient } from '../client.ts'
import type { TestDatabase } from '../servers/postgres.ts'

const { addHost, listHosts, removeHost } = contract.hosts

/** The service with an administrator and somebody who is none, for tests of machines that nothing connects to. */
export async function openHostStage(database: TestDatabase) {
  const app: TestApp = await startTestApp({ database })
  const [admin, ann]: TestClient[] = [await app.as('admin'), await app.as('ann')]
  return {
    app,
    admin: admin!,
    ann: ann!,
    add: async (name: string, more: object = {}) =>
      (await admin!.call(addHost, { body: { name, address: `${name}.example`, ...more } })).host,
    /** Entries of the audit log with these words, the newest first. */
    audit: async (q: string) => (await admin!.call(contract.accounts.audit, { query: { q, limit: 200 } })).items,
    /** Removes everything, those behind others first. */
    async clear() {
      for (let left = 1; left > 0;) {
        const { items } = await admin!.call(listHosts)
        const ways = new Set(items.map(({ jump_host_id }) => jump_host_id))
        const free = items.filter(({ host_id }) => host_id !== 'local' && !ways.has(host_id))
        for (const { host_id } of free) await admin!.call(removeHost, { params: { host_id } })
        left = free.length
      }
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

export type HostStage = Awaited<ReturnType<typeof openHostStage>>

/** `409 host_exists`, or `accepted`. */
export async function refusal(asked: Promise<unknown>): Promise<string> {
  return asked.then(
    () => 'accepted',
    (error: ProblemAnswer) => `${error.status} ${error.code}`,
  )
}

/** A line such as the setup script prints. */
export function hostKey(): string {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  return `ssh-ed25519 ${fields('ssh-ed25519', Buffer.from(x!, 'base64url'))}`
}

export function rsaHostKey(): string {
  const { n, e } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  const number = Buffer.concat([Buffer.from([0]), Buffer.from(n!, 'base64url')])
  return `ssh-rsa ${fields('ssh-rsa', Buffer.from(e!, 'base64url'), number)}`
}

function fields(kind: string, ...values: Buffer[]): string {
  const each = [Buffer.from(kind), ...values].flatMap((bytes) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return [length, bytes]
  })
  return Buffer.concat(each).toString('base64')
}
