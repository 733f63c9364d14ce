import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openBrowser, screenshot } from '../stage/browser.ts'
import { whyNoMachines } from '../stage/machines/furnished-debian.ts'
import { installReeve, type PackagedReeve } from '../stage/machines/packaged-reeve.ts'
import { openSystemdMachines, type SystemdMachine } from '../stage/machines/systemd-machines.ts'
import { publishToy, takePackagesFrom } from '../stage/machines/toy-packages.ts'
import { ROOT } from '../stage/sources/source-graph.ts'
import { pictures } from './pictures.ts'
import { expectFits, lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const CONFIGURATION = '/etc/nginx/nginx.conf'
const UNIT = '/lib/systemd/system/reeve.service'

const scratch = await mkdtemp(join(tmpdir(), 'reeve-try-'))
const why = whyNoMachines(scratch)
await rm(scratch, { recursive: true, force: true })

describe.skipIf(why !== null)(`two more machines, from a browser${why === null ? '' : ` (skipped: ${why})`}`, () => {
  const opened = new AsyncDisposableStack()
  let harbour: SystemdMachine
  let web: SystemdMachine
  let db: SystemdMachine
  let reeve: PackagedReeve
  let visitor: Visitor
  let page: Page
  let unit: string
  let missing: string | null = null

  beforeAll(async () => {
    const machines = await openSystemdMachines(['harbour', 'web-1', 'db-1'])
    if (typeof machines === 'string') return void (missing = machines)
    opened.use(machines)
    harbour = machines.get('harbour')!
    web = machines.get('web-1')!
    db = machines.get('db-1')!
    takePackagesFrom(web)
    publishToy(web, '1.0')
    web.sh('apt-get update -q; apt-get install -y -q toy')
    publishToy(web, '1.1')
    web.sh('apt-get update -q')
    reeve = opened.use(await installReeve(harbour))
    harbour.sh('reeve helper install')
    unit = harbour.read(UNIT)
    await reeve.as('admin')
    const browser: Browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, reeve.url))
    visitor.expectMessage(/\/api\/auth\/session\b|\/api\/admin\/hosts\b/)
    await visitor.signIn('admin')
    page = visitor.page
  }, 600_000)
  beforeEach(({ skip }) => (missing === null ? undefined : skip(missing)))
  afterAll(() => opened.disposeAsync())

  const button = (name: string) => page.getByRole('button', { name, exact: true })

  /** As a person does it: a form, the script run there as root, and what it printed put into the page. */
  async function add(machine: SystemdMachine, tags: string): Promise<string> {
    await page.goto('/admin/hosts')
    await button('Add machine').click()
    const form = page.getByRole('dialog', { name: 'Add machine' })
    await form.getByRole('textbox', { name: 'Name' }).fill(machine.name)
    await form.getByRole('textbox', { name: 'Address' }).fill(machine.address)
    await form.getByRole('textbox', { name: 'Tags' }).fill(tags)
    await form.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: 'Set up this machine' }).waitFor()
    await button('Copy script').click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(copied).toContain('#!/bin/sh')
    const printed = machine.sh('sh -s', await copied())
    await page.getByRole('textbox', { name: 'Host key' }).fill(printed)
    await button('Confirm and check').click()
    await page.getByText(`${machine.name} is ready.`).waitFor()
    return printed
  }

  /** Types a call in a new conversation; its card. */
  async function ask(tool: string, title: string, input: object): Promise<Locator> {
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, `/system.${tool} ${JSON.stringify(input)}`)
    const card = page.getByRole('article', { name: title })
    await card.getByRole('region', { name: 'What would change' }).waitFor()
    return card
  }
  const approve = (card: Locator) => card.getByRole('button', { name: 'Approve', exact: true }).click()
  const verified = () => page.getByText('Verified', { exact: true }).waitFor()

  /** Takes the newest change of this name back, by its button under *What changed*; the card for it. */
  async function undo(name: string): Promise<Locator> {
    await page.goto('/approvals?view=changes')
    await page
      .getByRole('button', { name: `Undo ${name}` })
      .first()
      .click()
    return page.getByRole('article', { name: 'Take back a change of the machine' })
  }

  test('the account of the service reads the journal of the machine that it runs on', async () => {
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, '/system.logs unit=reeve.service lines=50')
    const written = (await lastAnswer(page)).getByText(/"listening"/).first()
    await written.waitFor()
    expect(await written.innerText()).toContain('started_in_ms')
  })

  test('a machine is added and set up by its own script, and is known by the key that it printed', async () => {
    const printed = await add(web, 'web')
    expect(printed).toContain('reeve-op answers.')
    await page.getByText('OK', { exact: true }).first().waitFor()
    await pictures(page, 'machine-added')
    await add(db, 'berlin')
    // As the administrator of that machine.
    const lines = [`package upgrade`, `file ${CONFIGURATION}`, 'power'].map((line) => `allow ${line}`).join('\n')
    web.sh('cat >>/etc/reeve-op.conf', `${lines}\n`)
  })

  test('one sentence asks all of them, and one table answers', async () => {
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, '/system.disks host=#all')
    const answer = await lastAnswer(page)
    for (const name of ['local', 'web-1', 'db-1'])
      await answer.getByRole('gridcell', { name, exact: true }).first().waitFor()
    expect(await answer.getByRole('gridcell', { name: 'done', exact: true }).count()).toBe(3)
    await pictures(page, 'machines-disks')
    await expectFits(visitor)
    await answer.evaluate((element) => element.scrollIntoView({ block: 'start' }))
    await screenshot(page, 'machines-disks-light')
  })

  test('an upgrade is seen first, and proved afterwards', async () => {
    const card = await ask('package', 'Change packages', { host: 'web-1', action: 'upgrade', names: ['toy'] })
    await card.getByText('toy 1.0 → 1.1').waitFor()
    await pictures(page, 'machines-upgrade')
    const version = () => web.sh("dpkg-query -W -f='${Version}' toy")
    expect(version()).toBe('1.0')
    await approve(card)
    await verified()
    expect(version()).toBe('1.1')
  })

  test('nginx.conf is changed after its difference was seen, and comes back byte for byte', async () => {
    const before = web.read(CONFIGURATION)
    const stat = () => web.sh(`stat -c '%a %U:%G' ${CONFIGURATION}`)
    const owned = stat()
    const content = before.replace('worker_connections 768;', 'worker_connections 1024;')
    const card = await ask('file', 'Change a file', { host: 'web-1', path: CONFIGURATION, action: 'write', content })
    await card.getByText('+\tworker_connections 1024;').waitFor()
    await pictures(page, 'machines-diff')
    await expectFits(visitor)
    expect(web.read(CONFIGURATION)).toBe(before)
    await approve(card)
    await verified()
    expect(web.read(CONFIGURATION)).toBe(content)
    const back = await undo(CONFIGURATION)
    await back.getByText('-\tworker_connections 1024;').waitFor()
    await pictures(page, 'machines-undo')
    await approve(back)
    await page.getByText(`Taken back: ${CONFIGURATION} as it was before.`).first().waitFor()
    expect([web.read(CONFIGURATION), stat()]).toEqual([before, owned])
  })

  test('a configuration that nginx refuses is as it was, and nginx runs on', async () => {
    const before = web.read(CONFIGURATION)
    const content = before.replace('worker_connections 768;', 'worker_connections many;')
    await approve(await ask('file', 'Change a file', { host: 'web-1', path: CONFIGURATION, action: 'write', content }))
    await page
      .getByText(/its check refused it/)
      .first()
      .waitFor()
    await pictures(page, 'machines-refused')
    expect(web.read(CONFIGURATION)).toBe(before)
    expect(web.sh('systemctl is-active nginx')).toBe('active\n')
  })

  test('a restart in ten minutes is scheduled, and called off', async () => {
    const scheduled = () => web.sh('cat /run/systemd/shutdown/scheduled 2>/dev/null || :')
    const card = await ask('power', 'Restart or switch off', { host: 'web-1', action: 'reboot', minutes: 10 })
    await card.getByText('reboot in 10 minutes').waitFor()
    await pictures(page, 'machines-reboot')
    expect(scheduled()).toBe('')
    await approve(card)
    await verified()
    expect(scheduled()).toContain('MODE=reboot')
    const back = await undo('reboot')
    await back.getByText(/Called off: reboot/).waitFor()
    await approve(back)
    await page.getByText('Taken back:').first().waitFor()
    expect(scheduled()).toBe('')
  })

  test('what runs is told by its journal, and doctor finds nothing wrong', async () => {
    const told = harbour.sh('reeve backup /var/lib/reeve/backups; reeve doctor --hosts')
    expect(told.split('\n').filter((line) => /^(warn|fail)/.test(line))).toEqual([])
    for (const { name } of [web, db]) expect(told).toContain(`ok    ${name}: Pinned is SHA256:`)
    expect(web.sh('journalctl -t reeve-op -o cat')).toMatch(/op|file|package|power/)
  })

  test('Reeve’s own unit is as it was shipped, with nothing added', () => {
    expect(harbour.read(UNIT)).toBe(unit)
    expect(unit).toBe(readFileSync(join(ROOT, 'packaging/reeve.service'), 'utf8'))
    const asked = 'NoNewPrivileges,ProtectSystem,DropInPaths,User,SupplementaryGroups,CapabilityBoundingSet'
    expect(harbour.sh(`systemctl show reeve.service -p ${asked} | sort`)).toBe(
      'CapabilityBoundingSet=\nDropInPaths=\nNoNewPrivileges=yes\nProtectSystem=strict\nSupplementaryGroups=systemd-journal\nUser=reeve\n',
    )
  })
})
