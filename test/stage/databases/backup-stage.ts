import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPromise } from 'yauzl'
import { contract } from '../../../contract/index.ts'
import { openSnapshot } from '../../../server/db/snapshot/open-snapshot.ts'
import { BackupManifest } from '../../../server/operation/backup/backup-manifest.ts'
import type { TestClient } from '../client.ts'
import type { TestDatabase } from '../servers/postgres.ts'
import { startProcess, type TestProcess } from '../process.ts'

/** A service as a process of its own, whose settings commands can share. */
export async function startInstallation(
  closing: AsyncDisposableStack,
  database: TestDatabase,
): Promise<{ service: TestProcess; env: Record<string, string> }> {
  const url = await database.url()
  const service = closing.use(await startProcess({ database: { ...database, url: async () => url } }))
  return { service, env: { REEVE_DATA_DIR: service.dataFolder, REEVE_DATABASE_URL: url } }
}

/** Settings of an empty place. */
export async function emptyPlace(
  closing: AsyncDisposableStack,
  database: TestDatabase,
): Promise<{ folder: string; env: Record<string, string> }> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-place-'))
  closing.defer(() => rm(folder, { recursive: true, force: true }))
  return { folder, env: { REEVE_DATA_DIR: folder, REEVE_DATABASE_URL: await database.url() } }
}

export async function upload(client: TestClient, name: string, body: string | Buffer): Promise<string> {
  const { file } = await client.call(contract.files.upload, {
    headers: { 'x-file-name': encodeURIComponent(name), 'content-type': 'application/octet-stream' },
    body: body as RequestInit['body'],
  })
  return file.file_id
}

/** Every row of every table that backups have, as lines, by table: what a place holds, whichever database it is. */
export async function contentOf(env: Record<string, string>): Promise<Record<string, string[]>> {
  await using snapshot = await openSnapshot(env['REEVE_DATABASE_URL'] || null, env['REEVE_DATA_DIR']!)
  const content: Record<string, string[]> = {}
  for (const table of snapshot.tables) {
    const lines: string[] = []
    for await (const rows of snapshot.rows(table)) lines.push(...rows.map((row) => JSON.stringify(row)))
    content[table.name] = lines.sort()
  }
  return content
}

/** What a backup holds: its manifest, its rows by table, and the SHA-256 of everything else. */
export async function readBackup(file: string) {
  const zip = await openPromise(file, { autoClose: false })
  const entries = new Map<string, Buffer>()
  for await (const entry of zip.eachEntry()) {
    const parts: Buffer[] = []
    for await (const piece of await zip.openReadStreamPromise(entry)) parts.push(piece as Buffer)
    entries.set(entry.fileName, Buffer.concat(parts))
  }
  zip.close()
  const manifest = BackupManifest.parse(JSON.parse(entries.get('manifest.json')!.toString('utf8')))
  const tables: Record<string, string[]> = {}
  for (const { name } of manifest.tables) {
    const text = entries.get(`tables/${name}.ndjson`)!.toString('utf8')
    tables[name] = text.split('\n').filter(Boolean).sort()
  }
  const digests = new Map([...entries].map(([path, bytes]) => [path, createHash('sha256').update(bytes).digest('hex')]))
  return { manifest, tables, digests }
}
