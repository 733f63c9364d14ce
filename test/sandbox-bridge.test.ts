import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer as createTcpServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a tunnel whose proxy never answers is given up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-bridge-'))
  const silent = createTcpServer(() => undefined).listen(join(folder, 'proxy.sock'))
  await once(silent, 'listening')
  const free = createTcpServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const at = (free.address() as AddressInfo).port
  await new Promise((closed) => free.close(closed))
  const bridge = join(import.meta.dirname, '../server/modules/process/sandbox-bridge.ts')
  const tunnel = `127.0.0.1:${at}=db.lan`
  const module = 'process.stdout.write("up"); process.stdin.resume().on("end", () => process.exit())'
  const child = spawn(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    bridge,
    join(folder, 'proxy.sock'),
    '0',
    '300',
    tunnel,
    process.execPath,
    '-e',
    module,
  ])
  let said = ''
  child.stderr.on('data', (text) => (said += String(text)))
  await once(child.stdout, 'data')
  const client = createConnection({ port: at, host: '127.0.0.1' })
  const over = new Promise((closed) => client.on('error', () => undefined).once('close', closed))
  client.write('hello')
  await over
  child.stdin.end()
  await once(child, 'close')
  expect(said).toBe(`db.lan:${at} did not answer in time.\n`)
  silent.close()
  rmSync(folder, { recursive: true })
})
