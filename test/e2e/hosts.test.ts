import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import type { TestClient } from '../stage/client.ts'
import { sshdMissing, startSshServer, type SshServer } from '../stage/servers/ssh-server.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, type Visitor } from './visitor.ts'

const skipped = sshdMissing === null ? '' : ` (skipped: ${sshdMissing})`

describe.skipIf(sshdMissing !== null)(`machines, seen by an administrator${skipped}`, () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let admin: TestClient
  let browser: Browser
  let visitor: Visitor
  let page: Page
  let server: SshServer
  let other: SshServer
  let authorized: string

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reeve-hosts-'))
    opened.defer(() => rmSync(folder, { recursive: true, force: true }))
    authorized = join(folder, 'authorized')
    writeFileSync(authorized, '', { mode: 0o600 })
    server = opened.use(await startSshServer({ config: `AuthorizedKeysFile ${authorized}` }))
    other = opened.use(await startSshServer({ config: `AuthorizedKeysFile ${authorized}` }))
    app = opened.use(await startTestApp())
    admin = await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b|\/api\/admin\/hosts\b/)
    await visitor.signIn('admin')
    page = visitor.page
  })
  afterAll(() => opened.disposeAsync())

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  /** As the setup script does it on a machine. */
  const letIn = async () => {
    const { items } = await admin.call(contract.hosts.sshKeys)
    writeFileSync(authorized, items.map(({ public_key }) => `${public_key}\n`).join(''), { mode: 0o600 })
  }

  test('an installation with one machine says what another would bring', async () => {
    await page.goto('/admin')
    await page.getByRole('link', { name: 'Machines' }).click()
    await page.getByRole('heading', { name: 'Only this machine so far' }).waitFor()
    await page.getByRole('link', { name: 'This machine' }).waitFor()
    expect(await button('Add machine').count()).toBe(1)
    await pictures(page, 'hosts-empty')
    await expectFits(visitor)
  })

  test('one is added: a form, the script, the line that it printed, and it is well', async () => {
    await button('Add machine').click()
    const form = page.getByRole('dialog', { name: 'Add machine' })
    await form.getByRole('textbox', { name: 'Name' }).fill('web 1')
    await form.getByRole('textbox', { name: 'Address' }).fill('127.0.0.1')
    await form.getByText('Only letters A–Z').waitFor()
    await form.getByRole('textbox', { name: 'Name' }).fill('web-1')
    await form.getByRole('textbox', { name: 'Port' }).fill(String(server.port))
    await form.getByRole('textbox', { name: 'Account' }).fill(userInfo().username)
    await form.getByRole('textbox', { name: 'Tags' }).fill('#web, Berlin')
    await pictures(page, 'hosts-add')
    await visitor.expectAccessible()
    await form.getByRole('button', { name: 'Add', exact: true }).click()

    await page.getByRole('heading', { name: 'Set up this machine' }).waitFor()
    await button('Copy script').click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain((await admin.call(contract.hosts.sshKeys)).items[0]!.public_key.split(' ')[1])
    await pictures(page, 'hosts-setup')
    await expectFits(visitor)
    await letIn()
    await page.getByRole('textbox', { name: 'Host key' }).fill('something else')
    await button('Confirm and check').click()
    await page.getByText('There is no host key in this.').waitFor()
    await page.getByRole('textbox', { name: 'Host key' }).fill(`ssh-ed25519 ${server.hostKeys.ed25519}`)
    await button('Confirm and check').click()
    await page.getByText('web-1 is ready.').waitFor()
    await page.getByText('OK', { exact: true }).waitFor()
    await page.getByRole('term').filter({ hasText: 'Kernel' }).waitFor()
    await pictures(page, 'hosts-machine')
    await expectFits(visitor)
  })

  test('the other way compares what the machine shows over the network', async () => {
    const body = {
      name: 'db-1',
      address: '127.0.0.1',
      port: other.port,
      account: userInfo().username,
      tags: ['berlin'],
    }
    await admin.call(contract.hosts.addHost, { body })
    // What is open elsewhere learns of it.
    await page.getByRole('link', { name: 'All machines' }).click()
    await page.getByRole('link', { name: 'db-1' }).click()
    await button('Ask for its key').click()
    await page.getByText('It shows this ssh-ed25519 key').waitFor()
    await pictures(page, 'hosts-scan')
    await visitor.expectAccessible()
    const { offered } = (await admin.call(contract.hosts.listHosts)).items.find(({ name }) => name === 'db-1')!
    await page.getByText(offered!.fingerprint).waitFor()
    await button('It is the same: confirm').click()
    await page.getByText('db-1 is ready.').waitFor()
    const known = await admin.call(contract.hosts.listHosts)
    expect(known.items.find(({ name }) => name === 'db-1')?.pinned?.fingerprint).toBe(offered!.fingerprint)
  })

  test('the list says how each is, and finds them', async () => {
    await page.getByRole('link', { name: 'All machines' }).click()
    const rows = page.getByRole('list', { name: 'Machines' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByRole('searchbox', { name: 'Search machines' }).fill('#web')
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByRole('searchbox', { name: 'Search machines' }).fill('nothing')
    await page.getByText('No matching machines').waitFor()
    await button('Show all').click()
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('berlin')
    await expect.poll(() => rows.count()).toBe(2)
    expect(new URL(page.url()).searchParams.get('tag')).toBe('berlin')
    await button('Clear filters').click()
    await page.getByRole('heading', { name: 'Reeve’s SSH key' }).waitFor()
    await pictures(page, 'hosts-list')
    await expectFits(visitor)
  })

  test('a changed host key is shown beside the confirmed one, and is not confirmed by one click', async () => {
    const { items } = await admin.call(contract.hosts.listHosts)
    const { host_id } = items.find(({ name }) => name === 'web-1')!
    await page.getByRole('link', { name: 'web-1' }).click()
    await admin.call(contract.hosts.updateHost, { params: { host_id }, body: { port: other.port } })
    await button('Check now').click()
    await page.getByText('This machine shows another host key', { exact: true }).waitFor()
    await page.getByText('Shown now').waitFor()
    await pictures(page, 'hosts-key-changed')
    await expectFits(visitor)
    expect(await button('Confirm the new key').isDisabled()).toBe(true)
    await page.getByRole('checkbox', { name: 'I have compared the new fingerprint' }).check()
    await button('Confirm the new key').click()
    await page.getByText('web-1 is ready.').waitFor()
  })

  test('who does not answer, or does not let Reeve in, comes with what to do', async () => {
    const { items } = await admin.call(contract.hosts.listHosts)
    const { host_id } = items.find(({ name }) => name === 'web-1')!
    const params = { host_id }
    await admin.call(contract.hosts.updateHost, { params, body: { account: 'nobody-there' } })
    await button('Check now').click()
    await page.getByText('The account nobody-there doesn’t let Reeve in').waitFor()
    expect(await button('Copy script').count()).toBe(1)
    await pictures(page, 'hosts-refused')
    await visitor.expectAccessible()
    await admin.call(contract.hosts.updateHost, { params, body: { port: 1 } })
    await button('Check now').click()
    await page.getByText('127.0.0.1:1 does not answer').waitFor()
    await pictures(page, 'hosts-unreachable')
    await expectFits(visitor)
  })

  test('it is disabled, and removed with what goes with it said', async () => {
    await button('More for web-1').click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await page.getByText('This machine is disabled').waitFor()
    expect(await button('Check now').count()).toBe(0)
    await button('More for web-1').click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove web-1?' })
    await dialog.getByText('Its address, its tags').waitFor()
    await pictures(page, 'hosts-remove')
    await visitor.expectAccessible()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('web-1 was removed.').waitFor()
    await page.getByRole('link', { name: 'db-1' }).waitFor()
    expect(await page.getByRole('link', { name: 'web-1' }).count()).toBe(0)
  })

  test('Reeve’s key is changed in two steps', async () => {
    await button('Change key').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Change key' }).click()
    await page.getByText('The key is being changed').waitFor()
    await pictures(page, 'hosts-key-change')
    await expectFits(visitor)
    await button('End change').click()
    await page.getByRole('dialog').getByRole('button', { name: 'End change' }).click()
    await expect.poll(() => page.getByText('The key is being changed').count()).toBe(0)
    expect((await admin.call(contract.hosts.sshKeys)).items).toHaveLength(1)
  })
})
