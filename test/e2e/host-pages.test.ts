import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemModule } from '../../builtin/system/module.ts'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { whyNoDebian } from '../stage/machines/debian-root.ts'
import { FEDORA } from '../stage/machines/fedora.ts'
import { insideMachine } from '../stage/machines/inside-machine.ts'
import { stageReeveOp } from '../stage/machines/reeve-op-stage.ts'
import type { RootMachine } from '../stage/machines/root-machine.ts'
import { putJournal, putSystemd } from '../stage/machines/toy-systemd.ts'
import { sshdMissing, startSshServer } from '../stage/servers/ssh-server.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, type Visitor } from './visitor.ts'

const FACTS = { ...FEDORA.facts, package_manager: 'apt' as const, init: 'systemd' as const }
const UNITS = {
  'toy.service': { state: 'active', pid: '42', boot: 'enabled' },
  'idle.service': { state: 'inactive' },
  'broken.service': { state: 'failed' },
}

const why = whyNoDebian()
describe.skipIf(why !== null)(`the page of a machine${why === null ? '' : ` (skipped: ${why})`}`, () => {
  const opened = new AsyncDisposableStack()
  let machine: RootMachine
  stageReeveOp((made) => (machine = made))
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    const get = (id: string) => Promise.resolve(id === 'local' ? insideMachine(machine, FACTS) : null)
    app = opened.use(await startTestApp({ builtins: [systemModule({ get })] }))
    await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(() => opened.disposeAsync())

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })

  test('its services: one is restarted, seen before, proved after, and stopped and taken back', async () => {
    await putSystemd(machine, UNITS)
    await putJournal(machine)
    await machine.allow('allow service toy.service', 'allow journal')
    await page.goto('/admin/hosts?host=local')
    await page.getByRole('term').filter({ hasText: 'Kernel' }).waitFor()
    await tab('Services').click()
    await row('toy.service').waitFor()
    // What is in trouble comes first.
    expect(await page.getByRole('rowheader').first().textContent()).toBe('broken.service')
    await pictures(page, 'host-services')
    await expectFits(visitor)

    await row('toy.service').getByRole('button', { name: 'More for toy.service' }).click()
    await page.getByRole('menuitem', { name: 'Stop' }).click()
    await page.getByRole('heading', { name: 'Stop: toy.service' }).waitFor()
    await page.getByText('Then: it does not run').waitFor()
    expect(machine.read('srv/units/toy.service/state').trim()).toBe('active')
    await pictures(page, 'host-service-card')
    await expectFits(visitor)
    await button('Approve').click()
    await page.getByText('Verified').first().waitFor()
    expect(machine.read('srv/units/toy.service/state').trim()).toBe('inactive')
    await row('toy.service').getByText('inactive').waitFor()
    await pictures(page, 'host-service-proved')
    await expectFits(visitor)

    await button(/^Undo/).click()
    await page.getByText('Take back a change of the machine').first().waitFor()
    await button('Approve').click()
    await row('toy.service').getByText('active (dead)').or(row('toy.service').getByText('active')).first().waitFor()
    await expect.poll(() => machine.read('srv/units/toy.service/state').trim()).toBe('active')
    await page.getByRole('link', { name: 'Show conversation' }).click()
    await page
      .getByText(/local, /)
      .first()
      .waitFor()
  })

  test('the other sections, with what is open asked for in a dialog', async () => {
    await page.goto('/admin/hosts?host=local&tab=packages')
    await page.getByRole('combobox', { name: 'Packages shown' }).selectOption('installed')
    await row('apt').first().waitFor()
    await pictures(page, 'host-packages')
    await expectFits(visitor)
    await tab('Accounts').click()
    await row('root').first().waitFor()
    await button('Create account').click()
    await page.getByRole('dialog', { name: 'Create account' }).getByRole('textbox', { name: 'Account' }).fill('anna')
    await pictures(page, 'host-create-account')
    await visitor.expectAccessible()
    await page.keyboard.press('Escape')
    await pictures(page, 'host-accounts')
    await tab('Tools').click()
    await page.getByText('system.disk_usage').waitFor()
    await pictures(page, 'host-tools')
    await expectFits(visitor)
    await tab('What changed').click()
    await page.getByText('toy.service').first().waitFor()
    await pictures(page, 'host-changes')
    await button(/^More for/).click()
    await page.getByRole('menuitem', { name: 'Restart machine' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'In how many minutes' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await tab('What changed').getAttribute('aria-selected')).toBe('true')
  })
})

const skipped = sshdMissing === null ? '' : ` (skipped: ${sshdMissing})`
describe.skipIf(sshdMissing !== null)(`the page of a machine over SSH${skipped}`, () => {
  const opened = new AsyncDisposableStack()
  let visitor: Visitor
  let page: Page
  let web: string

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reeve-hosts-'))
    opened.defer(() => rmSync(folder, { recursive: true, force: true }))
    const authorized = join(folder, 'authorized')
    const server = opened.use(await startSshServer({ config: `AuthorizedKeysFile ${authorized}` }))
    const app = opened.use(await startTestApp())
    const admin = await app.as('admin')
    const body = { name: 'web-1', address: '127.0.0.1', port: server.port, account: userInfo().username, tags: ['web'] }
    web = (await admin.call(contract.hosts.addHost, { body })).host.host_id
    const { items } = await admin.call(contract.hosts.sshKeys)
    writeFileSync(authorized, items.map(({ public_key }) => `${public_key}\n`).join(''), { mode: 0o600 })
    const host_key = `ssh-ed25519 ${server.hostKeys.ed25519}`
    await admin.call(contract.hosts.pinHost, { params: { host_id: web }, body: { host_key } })
    await admin.call(contract.hosts.checkHost, { params: { host_id: web } })
    const browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url, { dark: true }))
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(() => opened.disposeAsync())

  test('from how full the disks are down into folders, and up again', async () => {
    await page.goto(`/admin/hosts?host=${web}&tab=disks`)
    await page.getByRole('button', { name: '/', exact: true }).first().waitFor()
    await pictures(page, 'host-disks')
    await expectFits(visitor)
    await page.goto(`/admin/hosts?host=${web}&tab=disks&path=/etc`)
    await page.getByRole('button', { name: '/etc/ssl' }).click()
    await page.getByRole('button', { name: '/etc/ssl/certs' }).waitFor()
    await pictures(page, 'host-disk-use')
    await expectFits(visitor)
    await page.getByRole('navigation', { name: 'Folder' }).getByRole('button', { name: 'etc' }).click()
    await page.getByRole('button', { name: '/etc/ssl' }).waitFor()
    expect(new URL(page.url()).searchParams.get('path')).toBe('/etc')
  })

  test('what the machine cannot tell is said in its words', async () => {
    await page.getByRole('tab', { name: 'Services' }).click()
    await page.getByText(/systemd does not manage this machine/).waitFor()
    await pictures(page, 'host-services-none')
    await page.getByRole('tab', { name: 'Certificates' }).click()
    await page.getByText(/certificates\. .* have ended/).waitFor()
    await pictures(page, 'host-certificates')
    await expectFits(visitor)
    expect(new URL(page.url()).searchParams.get('tab')).toBe('certificates')
  })
})
