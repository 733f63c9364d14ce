import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JournalLines, LogLine } from '../contract/host-journal.ts'
import { contract } from '../contract/index.ts'
import { type Feed, openFeed } from './stage/activity-feed.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { holdTimers } from './stage/time/held-timers.ts'
import { refusal } from './stage/hosts/host-stage.ts'
import { openPreparedMachine, type PreparedMachine, preparedMissing } from './stage/machines/prepared-machine.ts'
import { PASSWORD } from './stage/people.ts'
import { startProcess } from './stage/process.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { addHost, pinHost, setupScript, updateHost } = contract.hosts
const { followJournal, keepJournal, stopJournal } = contract.hostJournal
const LIMIT_MS = 120_000

/**
 * journalctl as far as it is asked: prints what is in a file and what is written to it, and keeps its arguments. The file
 * has entries in the journal's own JSON; no machine of the tests has a journal of its own.
 */
const JOURNALCTL = `#!/bin/sh
echo "$*" >>/srv/asked; echo $$ >>/srv/running
exec tail -n +1 -f /srv/entries
`

function entry(text: unknown, more: object = {}): string {
  const at = String(Date.UTC(2026, 0, 2, 3, 4, 5) * 1000)
  return JSON.stringify({ __REALTIME_TIMESTAMP: at, PRIORITY: '3', SYSLOG_IDENTIFIER: 'nginx', MESSAGE: text, ...more })
}

/** From now on it has a journal, whose entries are lines of a file. */
function giveJournal(machine: PreparedMachine): void {
  machine.sh(`mkdir -p /run/log/journal/x /srv; : >/srv/entries; chmod 777 /srv; rm -f /usr/bin/journalctl
cat >/usr/bin/journalctl <<'END'\n${JOURNALCTL}END\nchmod 755 /usr/bin/journalctl; chmod 666 /srv/entries`)
}
function append(machine: PreparedMachine, ...lines: string[]): void {
  machine.sh(`cat >>/srv/entries <<'END'\n${lines.join('\n')}\nEND`)
}
function followers(machine: PreparedMachine): string {
  return machine.sh('ps -ef | grep -c "[t]ail -n +1 -f /srv/entries" || :').trim()
}

const skipped = preparedMissing === null ? '' : ` (skipped: ${preparedMissing})`
describe.skipIf(preparedMissing !== null).each(databases)(
  `following a log over SSH, on $name${skipped}`,
  (database) => {
    const opened = new AsyncDisposableStack()
    let app: TestApp
    let admin: TestClient
    let feed: Feed
    let machine: PreparedMachine
    let host_id: string
    beforeAll(async () => {
      app = opened.use(await startTestApp({ database }))
      admin = await app.as('admin')
      machine = opened.use(
        await openPreparedMachine(async (port) => {
          const body = { name: 'web-1', address: '127.0.0.1', port, account: 'reeve-reader' }
          const { host } = await admin.call(addHost, { body })
          host_id = host.host_id
          return (await admin.call(setupScript, { query: { host_id } })).script
        }),
      )
      await admin.call(pinHost, { params: { host_id }, body: { host_key: machine.hostKey } })
      giveJournal(machine)
      feed = opened.use(await openFeed(admin))
    }, LIMIT_MS)
    afterAll(() => opened.disposeAsync())

    const write = (...lines: string[]) => append(machine, ...lines)
    const start = async (client = admin, filter: object = {}, follow_key = randomBytes(16).toString('hex')) => {
      await client.call(followJournal, { params: { host_id }, body: { follow_key, ...filter } })
      return follow_key
    }
    const stop = (follow_key: string) => admin.call(stopJournal, { params: { host_id }, body: { follow_key } })
    const told = (follow_key: string, of = feed): JournalLines[] =>
      of.events.flatMap((event) =>
        event.type === 'journal.lines' && event['follow_key'] === follow_key ? [event as unknown as JournalLines] : [],
      )
    const lines = (follow_key: string): LogLine[] => told(follow_key).flatMap((each) => each.lines)
    const ended = (follow_key: string, of = feed) =>
      of.find(({ type, follow_key: id }) => type === 'journal.ended' && id === follow_key)
    const seen = (follow_key: string, text: string) =>
      until(() => lines(follow_key).some((line) => line.text === text), { what: `“${text}” is told` })
    const running = () => followers(machine)

    test('what is there, then what comes, as text; its end ends the program there', async () => {
      write(
        entry('before'),
        entry('\u001b[31mred\u001b[0m <b>bold</b>\r\nsecond\u202e'),
        entry([72, 105, 255]),
        entry(null),
        'no entry at all',
        entry('x'.repeat(3000)),
      )
      const follow_key = await start(admin, { unit: 'nginx.service', priority: 'err' })
      await until(() => lines(follow_key).length >= 5, { what: 'what was there is told' })
      expect(lines(follow_key)).toEqual([
        { at: '2026-01-02T03:04:05.000Z', priority: 'err', source: 'nginx', text: 'before' },
        expect.objectContaining({ text: 'red <b>bold</b>\u{fffd}\u{fffd}second\u{fffd}' }),
        expect.objectContaining({ text: 'Hi\u{fffd}' }),
        expect.objectContaining({ text: '…' }),
        expect.objectContaining({ text: `${'x'.repeat(999)}…` }),
      ])
      expect(machine.sh('tail -n 1 /srv/asked')).toMatch(
        /--follow --output=json .*--lines=100 --unit=nginx.service --priority=err/,
      )
      write(entry('live'))
      await seen(follow_key, 'live')
      expect(told(follow_key).every(({ path, left_out }) => path === null && left_out === 0)).toBe(true)
      expect(running()).toBe('1')
      await stop(follow_key)
      expect(await ended(follow_key)).toMatchObject({ reason: 'stopped', host_id })
      await until(() => running() === '0', { what: 'the program has ended' })
      const { items } = await admin.call(contract.accounts.audit, { query: { q: 'host.log_followed' } })
      expect(items[0]).toMatchObject({ target: 'web-1', details: { host_id, unit: 'nginx.service', priority: 'err' } })
    })

    test('only lines with a text, and of a flood the newest, with how many are left out', async () => {
      const follow_key = await start(admin, { contains: 'NEEDLE' })
      write(entry('a needle'), entry('hay'), entry('another', { SYSLOG_IDENTIFIER: 'needled' }))
      await seen(follow_key, 'another')
      expect(lines(follow_key).map(({ text }) => text)).toEqual(['a needle', 'another'])
      await stop(follow_key)
      const flooded = await start()
      await until(() => lines(flooded).length > 0, { what: 'the beginning is told' })
      machine.sh(
        `i=0; while [ $i -lt 5000 ]; do echo '${entry('flood')}'; i=$((i + 1)); done >/srv/flood; cat /srv/flood >>/srv/entries`,
      )
      write(entry('the last'))
      await seen(flooded, 'the last')
      const parts = told(flooded)
      expect(parts.reduce((sum, { left_out }) => sum + left_out, 0)).toBeGreaterThan(4000)
      expect(Math.max(...parts.map((part) => Buffer.byteLength(JSON.stringify(part))))).toBeLessThan(8 * 1024)
      await stop(flooded)
      await ended(flooded)
    })

    test('where there is no journal a log file is followed, and where there is none either, that is said', async () => {
      machine.sh('mv /run/log/journal /run/log/aside; mv /var/log/journal /var/log/aside 2>/dev/null || :')
      machine.sh('rm -f /var/log/syslog /var/log/messages')
      const none = await start()
      expect(await ended(none)).toMatchObject({ reason: 'missing' })
      machine.sh('echo "Jan 1 host cron: one" >/var/log/messages; chmod 644 /var/log/messages')
      const follow_key = await start()
      await seen(follow_key, 'Jan 1 host cron: one')
      machine.sh('mv /var/log/messages /var/log/messages.1; echo "Jan 1 host cron: rotated" >/var/log/messages')
      await seen(follow_key, 'Jan 1 host cron: rotated')
      expect(told(follow_key)[0]).toMatchObject({ path: '/var/log/messages' })
      await stop(follow_key)
      await ended(follow_key)
      machine.sh('mv /run/log/aside /run/log/journal')
    })

    test('it is judged as system.logs is, and only whoever follows can end it', async () => {
      const ann = await app.as('ann')
      expect(await refusal(start(ann))).toBe('404 not_found')
      await admin.call(updateHost, { params: { host_id }, body: { disabled: true } })
      expect(await refusal(start())).toBe('409 host_disabled')
      await admin.call(updateHost, { params: { host_id }, body: { disabled: false } })
      const flip = (off: boolean) =>
        admin.call(contract.runsAdmin.saveSwitch, { body: { subject: 'tool:system.logs', off, reason: '' } })
      await flip(true)
      expect(await refusal(start())).toBe('403 forbidden')
      await flip(false)
      const follow_key = await start()
      await until(() => told(follow_key).length > 0, { what: 'it is followed' })
      expect(await refusal(ann.call(stopJournal, { params: { host_id }, body: { follow_key } }))).toBe('404 not_found')
      const { items } = await admin.call(contract.accounts.listRoles)
      const { role_id } = items.find(({ name }) => name === 'user')!
      const rulesOfAnn = (rules: { subject: string; effect: 'allow' }[]) =>
        admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules } })
      await rulesOfAnn([{ subject: 'host:#all', effect: 'allow' }])
      await ann.call(stopJournal, { params: { host_id }, body: { follow_key } })
      await rulesOfAnn([])
      write(entry('still there'))
      await seen(follow_key, 'still there')
      // What it is connected with has changed: the machine is not one to connect to any more.
      await admin.call(updateHost, { params: { host_id }, body: { disabled: true } })
      expect(await ended(follow_key)).toMatchObject({ reason: 'lost' })
      await admin.call(updateHost, { params: { host_id }, body: { disabled: false } })
    })

    test('a person follows three at once; none is left when its page has gone', async () => {
      // The time that a page has until it must say again that it is there.
      using leases = holdTimers('left')
      const all = [await start(), await start(), await start()]
      expect(await refusal(start())).toBe('429 too_many_followers')
      await until(() => all.every((each) => told(each).length > 0), { what: 'all are followed' })
      await admin.call(keepJournal, { params: { host_id }, body: { follow_key: all[0]! } })
      await until(() => leases.set.length > 3, { what: 'the first is kept' })
      for (const lease of leases.set.slice(0, 3)) lease.goOff()
      for (const gone of all.slice(1)) expect(await ended(gone)).toMatchObject({ reason: 'left' })
      write(entry('kept'))
      await seen(all[0]!, 'kept')
      for (const lease of leases.set) lease.goOff()
      expect(await ended(all[0]!)).toMatchObject({ reason: 'left' })
    })
  },
)

describe.runIf(preparedMissing === null && databases.some(({ name }) => name === 'postgres'))(
  'following a log over SSH with two processes',
  () => {
    test('the page may be connected to the other one, and ends it from there', { timeout: LIMIT_MS }, async () => {
      await using opened = new AsyncDisposableStack()
      const url = await createDatabase()
      const database = { name: 'postgres' as const, url: () => Promise.resolve(url) }
      const env = { REEVE_SECRET_KEY: 'a1'.repeat(32) }
      const a = opened.use(await startProcess({ database, env }))
      const b = opened.use(await startProcess({ database, env }))
      const onA = await a.as('admin')
      const onB = b.anonymous()
      const { csrf_token } = await onB.call(contract.accounts.login, {
        body: { username: 'admin', password: PASSWORD },
      })
      onB.csrfToken = csrf_token
      let host_id = ''
      const machine = opened.use(
        await openPreparedMachine(async (port) => {
          const body = { name: 'web-1', address: '127.0.0.1', port, account: 'reeve-reader' }
          ;({ host_id } = (await onA.call(addHost, { body })).host)
          return (await onA.call(setupScript, { query: { host_id } })).script
        }),
      )
      await onA.call(pinHost, { params: { host_id }, body: { host_key: machine.hostKey } })
      giveJournal(machine)
      const feed = opened.use(await openFeed(onB))
      const follow_key = randomBytes(16).toString('hex')
      append(machine, entry('across'))
      await onA.call(followJournal, { params: { host_id }, body: { follow_key } })
      const told = await feed.find(({ type, follow_key: id }) => type === 'journal.lines' && id === follow_key)
      expect(told).toMatchObject({ lines: [{ text: 'across' }] })
      await onB.call(keepJournal, { params: { host_id }, body: { follow_key } })
      expect(followers(machine)).toBe('1')
      await onB.call(stopJournal, { params: { host_id }, body: { follow_key } })
      const end = await feed.find(({ type, follow_key: id }) => type === 'journal.ended' && id === follow_key)
      expect(end).toMatchObject({ reason: 'stopped' })
      await until(() => followers(machine) === '0', { what: 'the program has ended' })
    })
  },
)
