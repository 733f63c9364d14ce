import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import type { TestClient } from '../stage/client.ts'
import { openPreparedMachine, type PreparedMachine, preparedMissing } from '../stage/machines/prepared-machine.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, type Visitor } from './visitor.ts'

const { addHost, pinHost, setupScript } = contract.hosts
const LIMIT_MS = 120_000
const skipped = preparedMissing === null ? '' : ` (skipped: ${preparedMissing})`
/** In the words of journalctl; no machine of the tests has a journal of its own. */
const JOURNALCTL = '#!/bin/sh\nexec tail -n +1 -f /srv/entries\n'

describe.skipIf(preparedMissing !== null)(`machines as they are, seen by an administrator${skipped}`, () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let admin: TestClient
  let machine: PreparedMachine
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    admin = await app.as('admin')
    let host_id = ''
    machine = opened.use(
      await openPreparedMachine(async (port) => {
        const body = { name: 'web-1', address: '127.0.0.1', port, account: 'reeve-reader', tags: ['web'] }
        ;({ host_id } = (await admin.call(addHost, { body })).host)
        return (await admin.call(setupScript, { query: { host_id } })).script
      }),
    )
    await admin.call(pinHost, { params: { host_id }, body: { host_key: machine.hostKey } })
    machine.sh(`mkdir -p /run/log/journal/x /srv; : >/srv/entries; chmod 755 /srv; rm -f /usr/bin/journalctl
printf '%s' '${JOURNALCTL}' >/usr/bin/journalctl; chmod 755 /usr/bin/journalctl; touch /run/reboot-required`)
    for (const [name, port] of [
      ['db-1', 1],
      ['db-2', 2],
    ] as const) {
      const { host } = await admin.call(addHost, { body: { name, address: '127.0.0.1', port } })
      await admin.call(pinHost, { params: { host_id: host.host_id }, body: { host_key: machine.hostKey } })
    }
    const browser: Browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
  }, LIMIT_MS)
  afterAll(() => opened.disposeAsync())

  const write = (text: string, priority = 6) => {
    const __REALTIME_TIMESTAMP = String(Date.UTC(2026, 0, 2, 3, 4, 5) * 1000)
    const entry = { __REALTIME_TIMESTAMP, PRIORITY: String(priority), SYSLOG_IDENTIFIER: 'nginx', MESSAGE: text }
    machine.sh(`cat >>/srv/entries <<'END'\n${JSON.stringify(entry)}\nEND`)
  }

  test('the first page shows all of them, the worst first, and leads to each', async () => {
    await page.goto('/')
    const rows = page.getByRole('list', { name: 'Machines' }).getByRole('listitem')
    await rows.filter({ hasText: 'Waits for a restart' }).waitFor()
    await rows.filter({ hasText: 'This machine' }).getByText('Load').waitFor({ state: 'attached' })
    await expect.poll(() => rows.getByText('Unreachable').count()).toBe(2)
    const names = await rows.locator('> div:first-child').allTextContents()
    expect(names.slice(0, 2)).toEqual(['db-1', 'db-2'])
    expect(names).toContain('web-1')
    await page.getByText(/^4 machines, \d with problems$/).waitFor()
    await pictures(page, 'dashboard-machines')
    await expectFits(visitor)
    await rows.getByRole('link', { name: 'web-1' }).click()
    await page.getByRole('heading', { level: 2, name: 'web-1' }).waitFor()
  })

  test('its log is followed, filtered, held, and is text whatever is in it', async () => {
    write('<img src=x onerror=alert(1)> \u001b[31mred\u001b[0m', 3)
    write('GET /index.html 200')
    await page.getByRole('tab', { name: 'Journal' }).click()
    const log = page.getByRole('region', { name: 'Journal' })
    await log.getByText('<img src=x onerror=alert(1)> red').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    write('it goes on')
    await log.getByText('it goes on').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    write('meanwhile')
    await page.getByText('New lines: 1').waitFor()
    expect(await log.getByText('meanwhile').count()).toBe(0)
    await page.getByRole('button', { name: 'Continue' }).click()
    await log.getByText('meanwhile').waitFor()
    await pictures(page, 'host-journal')
    await expectFits(visitor)
    await page.getByRole('searchbox', { name: 'Only lines with this text' }).fill('INDEX')
    await log.getByText('GET /index.html 200').waitFor()
    await expect.poll(() => log.getByText('it goes on').count()).toBe(0)
    await page.getByRole('tab', { name: 'Overview' }).click()
    const tails = () => machine.sh('ps -ef | grep -c "[t]ail -n +1 -f /srv/entries" || :').trim()
    await expect.poll(tails).toBe('0')
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Helper OK').waitFor()
    await pictures(page, 'host-helper')
    await expectFits(visitor)
  })
})
