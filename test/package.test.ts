import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { inDebian, makeDebian, putInto, whyNoDebian } from './stage/machines/debian-root.ts'
import { startProgram } from './stage/program-copy.ts'
import { ROOT } from './stage/sources/source-graph.ts'

const LIMIT_MS = 600_000
let scratch: string
let made: string[]
let archive: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reeve-package-'))
  // What is in the archive matters here, not how small it is: with little effort, it is packed in a third of the time.
  const { code, stderr } = await startProgram([join(ROOT, 'scripts/package.mjs'), scratch], { env: { GZIP: '-1' } })
    .ended
  if (code !== 0) throw new Error(`Packing failed:\n${stderr}`)
  made = readdirSync(scratch).sort()
  archive = made.find((name) => name.endsWith('.tar.gz'))!
}, LIMIT_MS)
afterAll(() => rm(scratch, { recursive: true, force: true }))

test('the archive has its digest beside it, and holds nothing of the machine that made it', () => {
  expect(archive).toBe(`reeve-${manifest.version}-linux-${process.arch}.tar.gz`)
  expect(spawnSync('sha256sum', ['-c', `${archive}.sha256`], { cwd: scratch }).status).toBe(0)
  const paths = spawnSync('tar', ['-tzf', join(scratch, archive)], { encoding: 'utf8', maxBuffer: 64 << 20 }).stdout
  const wrong = paths
    .split('\n')
    .filter((path) => /\/\.env$|^[^/]+\/data\/|\/\.git\/|\.test\.ts$|secret\.key/.test(path))
  expect(wrong).toEqual([])
  for (const path of [
    'bin/reeve',
    'dist/web/index.html',
    'dist/sdk/Service-Module-AI-SDK-v1.zip',
    'docs/operations.md',
  ])
    expect(paths).toContain(`/${path}\n`)
})

/** Waits until the service answers, with the Node that came with it, and asks for a page of each kind. */
const PROBE = `
  const until = Date.now() + 60_000
  const get = (path) => fetch('http://127.0.0.1:' + process.argv[1] + path)
  for (;;) {
    const answer = await get('/readyz').catch(() => null)
    if (answer?.ok) break
    if (Date.now() > until) throw new Error('not ready')
    await new Promise((done) => setTimeout(done, 100))
  }
  console.log('probed', (await get('/readyz')).status, (await get('/setup')).status, (await get('/api/nothing')).status)
`
const PROBED = 'probed 200 200 404'

const why = whyNoDebian()
const skipped = why === null ? '' : ` (skipped: ${why})`
describe.skipIf(why !== null)(`in a Debian 12 with nothing installed, and without a network${skipped}`, () => {
  let debian: string
  /** Why Debian could not be fetched. */
  let missing: string | null
  beforeAll(async () => {
    debian = join(scratch, 'debian')
    missing = await makeDebian(debian)
  }, LIMIT_MS)

  test(
    'the archive is unpacked and started, and stops in order',
    async ({ skip }) => {
      if (missing !== null) return skip(missing)
      await putInto(debian, join(scratch, archive), 'srv/reeve.tar.gz')
      const { code, output } = await inDebian(
        debian,
        `mkdir '/srv/é x'; tar -xzf /srv/reeve.tar.gz -C '/srv/é x' --strip-components=1; rm /srv/reeve.tar.gz
       cd /; REEVE_DATA_DIR=/srv/data '/srv/é x/bin/reeve' start & service=$!
       '/srv/é x'/runtime/node_modules/*/bin/node --input-type=module -e "${PROBE}" 8080
       REEVE_DATA_DIR=/srv/data '/srv/é x/bin/reeve' setup-link
       kill -TERM $service; wait $service; echo "ended $?"; rm -rf '/srv/é x' /srv/data`,
      )
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(PROBED) as string })
      expect(output).toMatch(/http:\/\/127\.0\.0\.1:8080\/setup\?token=/)
      expect(output).toContain('ended 0')
      expect(output).not.toMatch(/Installing|Building|Fetching/)
    },
    LIMIT_MS,
  )

  const deb = (): string | undefined => made.find((name) => name.endsWith('.deb'))

  test(
    'the package makes account, settings and unit, runs from a folder of root, and leaves the data',
    async ({ skip }) => {
      if (missing !== null) return skip(missing)
      expect(spawnSync('sha256sum', ['-c', `${deb()}.sha256`], { cwd: scratch }).status).toBe(0)
      await putInto(debian, join(scratch, deb()!), 'srv/reeve.deb')
      const { code, output } = await inDebian(
        debian,
        `dpkg --force-unsafe-io -i /srv/reeve.deb; rm /srv/reeve.deb
       stat -c '%n %U %G %a' /etc/reeve.env /var/lib/reeve /opt/reeve
       echo "account $(getent passwd reeve)"
       ls /etc/systemd/system/*.wants
       echo 'REEVE_PORT=8123' >> /etc/reeve.env
       reeve --version
       reeve start & service=$!
       /opt/reeve/runtime/node_modules/*/bin/node --input-type=module -e "${PROBE}" 8123
       reeve user list
       reeve helper install --check || echo "no helper"
       reeve helper install; reeve helper install --check
       setpriv --reuid=reeve --regid=reeve --init-groups reeve helper install 2>&1 || true
       find /opt/reeve -newer /var/lib/reeve/secret.key | head
       kill -TERM $service; wait $service; echo "ended $?"
       stat -c '%n %U %a' /var/lib/reeve/reeve.db
       dpkg --purge reeve
       ls -d /opt/reeve /etc/reeve.env || true
       ls -d /usr/local/libexec/reeve-op /etc/reeve-op.conf || true
       ls /var/lib/reeve`,
      )
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(PROBED) as string })
      expect(output).toContain('/etc/reeve.env root reeve 640')
      expect(output).toContain('/var/lib/reeve reeve reeve 700')
      expect(output).toContain('/opt/reeve root root 755')
      expect(output).toMatch(/account reeve:x:\d+:\d+::\/var\/lib\/reeve:\/usr\/sbin\/nologin/)
      expect(output).toContain('reeve.service')
      expect(output).toContain(`reeve ${manifest.version}\n`)
      expect(output).toContain('There are no users.')
      // The helper is there only once somebody has installed it, and goes with the package; its list is the administrator's.
      expect(output).toMatch(
        /reeve-op is missing\.[^]*no helper[^]*systemd does not run here[^]*as this version ships it\./,
      )
      expect(output).toContain('Only root can do that')
      expect(output).toContain("cannot access '/usr/local/libexec/reeve-op'")
      expect(output.split('\n')).toContain('/etc/reeve-op.conf')
      expect(output).toContain('/var/lib/reeve/reeve.db reeve 600')
      expect(output).toContain('ended 0')
      expect(output).toMatch(/cannot access '\/opt\/reeve'[^]*cannot access '\/etc\/reeve\.env'/)
      expect(output.trimEnd().split('\n')).toContain('reeve.db')
      // Nothing in the program folder is newer than the first thing that the service wrote.
      expect(output).not.toMatch(/^\/opt\/reeve\/.+$/m)
    },
    LIMIT_MS,
  )

  test(
    'the steps of the image, from what its first stage made',
    async ({ skip }) => {
      if (missing !== null) return skip(missing)
      const text = readFileSync(join(ROOT, 'packaging/Dockerfile'), 'utf8').replaceAll('\\\n', ' ')
      const stages = text.split(/^(?=FROM )/m).filter((stage) => stage.startsWith('FROM '))
      expect(stages).toHaveLength(2)
      const last = stages[1]!
      expect(last).toMatch(/^FROM debian:bookworm-slim\n/)
      await mkdir(join(debian, 'out'))
      await putInto(debian, join(scratch, archive), `out/${archive}`)
      const steps = [...last.matchAll(/^RUN (.*)$/gm)].map((match) => match[1]!.replace(/--mount=\S+/, ''))
      const unpack = steps.filter((step) => !step.includes('apt-get'))
      expect(steps.length - unpack.length).toBe(1)
      const env = /^ENV (.*)$/m.exec(last)![1]!
      const command = JSON.parse(/^CMD (.*)$/m.exec(last.replace(/^HEALTHCHECK.*$/m, ''))![1]!) as string[]
      const health = JSON.parse(/^HEALTHCHECK .*?CMD (\[.*\])$/m.exec(last)![1]!) as string[]
      const quoted = (words: string[]): string => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
      const { code, output } = await inDebian(
        debian,
        `userdel reeve; rm -rf /var/lib/reeve
       ${unpack.join('\n')}
       cd /opt/reeve
       setpriv --reuid=reeve --regid=reeve --init-groups env ${env} REEVE_TLS=off ${quoted(command)} & service=$!
       /opt/reeve/runtime/node_modules/*/bin/node --input-type=module -e "${PROBE}" 8080
       env ${env} REEVE_TLS=off ${quoted(health)}; echo "health $?"
       kill -TERM $service; wait $service; echo "ended $?"; ls /data`,
      )
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(PROBED) as string })
      expect(output).toContain('health 0')
      expect(output).toMatch(/ended 0[^]*reeve\.db/)
    },
    LIMIT_MS,
  )
})
