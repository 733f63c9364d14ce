import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SshConnections } from '../server/hosts/ssh/connections.ts'
import type { Machine } from '../server/modules/machines.ts'
import { connectionsWith, never, sh } from './stage/hosts/ssh-stage.ts'
import { sshdMissing, startSshServer, type SshServer } from './stage/servers/ssh-server.ts'

const hashOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

describe.skipIf(sshdMissing !== null)(
  `a machine with sshd${sshdMissing === null ? '' : ` (skipped: ${sshdMissing})`}`,
  () => {
    let server: SshServer
    let connections: SshConnections
    let machine: Machine
    let folder: string

    beforeAll(async () => {
      server = await startSshServer()
      connections = connectionsWith()
      machine = connections.machineOf(server.target())
      folder = mkdtempSync(join(tmpdir(), 'reeve-hosts-'))
    })
    afterAll(async () => {
      await connections?.[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    })

    describe('is given a file', () => {
      const write = (path: string, text: string | Buffer, if_hash: string | null, mode?: number) =>
        machine.write(path, Buffer.from(text), { if_hash, mode }, never)

      test('whole, with its mode, and only if it is as expected', async () => {
        const path = join(folder, "new 'file")
        expect(await write(path, 'one', null)).toEqual({ kind: 'written', hash: hashOf('one') })
        expect(statSync(path).mode & 0o7777).toBe(0o600)
        expect(await write(path, 'two', null)).toEqual({ kind: 'changed', hash: hashOf('one') })
        expect(await write(path, 'two', hashOf('other'))).toEqual({ kind: 'changed', hash: hashOf('one') })
        expect(readFileSync(path, 'utf8')).toBe('one')
        chmodSync(path, 0o4751)
        expect(await write(path, 'two', hashOf('one'))).toMatchObject({ kind: 'written' })
        expect(statSync(path).mode & 0o7777).toBe(0o4751)
        expect(await write(path, '', hashOf('two'), 0o640)).toEqual({ kind: 'written', hash: hashOf('') })
        expect(statSync(path)).toMatchObject({ size: 0 })
        expect(statSync(path).mode & 0o7777).toBe(0o640)
        const bytes = Buffer.from(Array.from({ length: 1 << 20 }, (_, i) => (i * 7 + (i >> 8)) & 255))
        expect(await write(path, bytes, hashOf(''))).toMatchObject({ kind: 'written' })
        expect(readFileSync(path).equals(bytes)).toBe(true)
        expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
      })

      test('not where a link, a directory or nothing is', async () => {
        symlinkSync('elsewhere', join(folder, 'a-link'))
        expect(await write(join(folder, 'a-link'), 'x', null)).toMatchObject({ kind: 'failed', why: 'link' })
        expect(await write(folder, 'x', null)).toMatchObject({ kind: 'failed', why: 'not_file' })
        expect(await write(join(folder, 'no/such'), 'x', null)).toMatchObject({ kind: 'failed', why: 'missing' })
        expect(await write(join(folder, 'nothing'), 'x', hashOf('x'))).toEqual({ kind: 'changed', hash: null })
        expect(await write('/proc/reeve', 'x', null)).toMatchObject({ kind: 'failed' })
        expect(readdirSync(folder)).not.toContain('elsewhere')
      })

      test.skipIf(process.getuid?.() !== 0)('that keeps its owner', async () => {
        const path = join(folder, 'owned')
        writeFileSync(path, 'one')
        chownSync(path, 7, 8)
        expect(await write(path, 'two', hashOf('one'))).toMatchObject({ kind: 'written' })
        expect(statSync(path)).toMatchObject({ uid: 7, gid: 8 })
      })

      test.skipIf(process.getuid?.() !== 0)('that does not fit, of which nothing stays', async () => {
        const small = join(folder, 'small')
        mkdirSync(small)
        const mounted = await sh(machine, `mount -t tmpfs -o size=64k none ${small}`)
        if (mounted.exit_code !== 0) return
        expect(await write(join(small, 'file'), Buffer.alloc(200_000), null)).toMatchObject({
          kind: 'failed',
          why: 'full',
        })
        expect(readdirSync(small)).toEqual([])
        await sh(machine, `umount ${small}`)
      })
    })
  },
)
