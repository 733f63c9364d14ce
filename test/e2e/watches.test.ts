import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { openStage, type Member, type Stage } from '../stage/chat-stage.ts'
import { databases } from '../stage/servers/postgres.ts'
import { gaugeModule } from '../stage/watches/gauge-module.ts'
import { MINUTE, watching, type Watching } from '../stage/watches/watch-stage.ts'
import { until } from '../stage/wait.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, type Visitor } from './visitor.ts'

describe('watches, on a phone', () => {
  const opened = new AsyncDisposableStack()
  const { module, gauge } = gaugeModule()
  let stage: Stage
  let browser: Browser
  let admin: Visitor
  let mia: Visitor
  let member: Member
  let watch: Watching

  beforeAll(async () => {
    stage = opened.use(await openStage(databases[0]!, { engine: false, builtins: [module] }))
    watch = watching(stage)
    await watch.disk(50)
    browser = await openBrowser()
    opened.defer(() => browser.close())
    admin = opened.use(await openVisitor(browser, stage.url))
    mia = opened.use(await openVisitor(browser, stage.url, { phone: true }))
    for (const visitor of [admin, mia]) visitor.expectMessage(/\/api\/auth\/session\b/)
    await stage.as('admin')
    member = await stage.member('mia')
    await Promise.all([admin.signIn('admin'), mia.signIn('mia')])
  })
  afterAll(() => opened.disposeAsync())

  const idOf = async (name: string) => {
    const { items } = await member.client.call(contract.watches.listWatches)
    return items.find((one) => one.name === name)!.watch_id
  }

  test('a person watches a disk, is shown what it sees, and switches it off', async () => {
    const { page } = mia
    await page.goto('/watches')
    await page.getByRole('heading', { name: 'Nothing of your own is watched' }).waitFor()
    await expectFits(mia)
    await page.getByRole('button', { name: 'Add a watch' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a watch' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Give it a name.').waitFor()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('My disk')
    await dialog.getByRole('textbox', { name: 'Bound' }).fill('full')
    await dialog.getByText('Enter a number.', { exact: true }).waitFor()
    await dialog.getByRole('textbox', { name: 'Bound' }).fill('90')
    await dialog.getByRole('textbox', { name: 'Minutes in a row' }).fill('0')
    await dialog.getByRole('button', { name: 'Look now' }).click()
    await dialog.getByRole('list', { name: 'What it sees now' }).getByText('50%').waitFor()
    await mia.expectAccessible()
    await pictures(page, 'watches-form')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Disk space used above 90%').waitFor()
    await page.getByText('All is well').waitFor()

    await watch.disk(97)
    await watch.later(member.client, await idOf('My disk'))
    // The page hears of it by itself.
    await page.getByText('Crossed', { exact: true }).first().waitFor()
    await page.getByText('97%').first().waitFor()
    await expectFits(mia)
    await pictures(page, 'watches')
    await page.getByRole('button', { name: 'History of My disk' }).click()
    const history = page.getByRole('dialog', { name: 'History of My disk' })
    await history.getByText('Lasts').waitFor()
    await history.getByText('Somebody was told').waitFor()
    await mia.expectAccessible()
    await page.keyboard.press('Escape')
    await history.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Switch off My disk' }).click()
    await page.getByText('Off', { exact: true }).waitFor()
    expect(await watch.crossings(member.client, await idOf('My disk'))).toMatchObject([{ ended: 'stopped' }])
    // What a message leads to.
    await page.goto(`/watches?watch=${await idOf('My disk')}`)
    await history.getByText('No longer watched').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Switch on My disk' }).click()
    await page.getByText('Crossed', { exact: true }).first().waitFor()
  })

  test('a table of a tool: its columns are offered after a look, and what may not be called is said', async () => {
    const { page } = mia
    gauge.rows = [
      { pump: 'P1', pressure: 5, state: 'on' },
      { pump: 'P2', pressure: 9, state: 'on' },
      { pump: 'P3', pressure: 12, state: 'off' },
    ]
    await page.goto('/watches')
    await page.getByRole('button', { name: 'Add a watch' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a watch' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Pumps')
    await dialog.getByRole('combobox', { name: 'What is watched' }).selectOption({ label: 'Table of a tool' })
    await dialog.getByRole('combobox', { name: 'Tool' }).selectOption({ value: 'gauge.read' })
    await dialog.getByRole('textbox', { name: 'Bound' }).fill('8')
    await dialog.getByRole('textbox', { name: 'Minutes in a row' }).fill('0')
    await dialog.getByRole('button', { name: 'Look now' }).click()
    await dialog.getByRole('list', { name: 'What it sees now' }).getByText('3').waitFor()
    await dialog.getByRole('combobox', { name: 'What is compared' }).selectOption({ label: 'Pressure' })
    await dialog.getByRole('combobox', { name: 'Rows are followed by' }).selectOption({ label: 'Pump' })
    await dialog.getByRole('button', { name: 'Only some rows' }).click()
    await dialog.getByRole('combobox', { name: 'Column' }).selectOption({ label: 'State' })
    await dialog.getByRole('textbox', { name: 'Value' }).fill('on')
    await dialog.getByRole('button', { name: 'Look now' }).click()
    await dialog.getByRole('list', { name: 'What it sees now' }).getByText('P2').waitFor()
    expect(await dialog.getByText('P3').count()).toBe(0)
    await mia.expectAccessible()
    await pictures(page, 'watches-table')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('P2').waitFor()

    await stage.setRules(member, [{ subject: 'tool:gauge.read', effect: 'ask' }])
    await watch.later(member.client, await idOf('Pumps'))
    await page
      .getByText(/would have to be approved/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'More about Pumps' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await until(async () => (await page.getByText('Pumps').count()) === 0, { what: 'it is gone' })
  })

  test('what the tool is given is a form, or JSON, and nothing of it is lost', async () => {
    const { page } = mia
    await stage.setRules(member, [{ subject: 'tool:gauge.read', effect: 'allow' }])
    gauge.rows = [{ pump: 'P1', pressure: 5, state: 'on' }]
    await page.goto('/watches')
    await page.getByRole('button', { name: 'Add a watch' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Add a watch' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('South')
    await dialog.getByRole('combobox', { name: 'What is watched' }).selectOption({ label: 'Table of a tool' })
    await dialog.getByRole('combobox', { name: 'Tool' }).selectOption({ value: 'gauge.read' })
    const form = dialog.getByRole('group', { name: 'Arguments' })
    await form.getByText('Where they stand · Default: north').waitFor()
    await form.getByRole('textbox', { name: 'hall' }).fill('south')
    await form.getByRole('combobox', { name: 'closed' }).selectOption({ label: 'No' })
    await form.getByRole('combobox', { name: 'sort' }).selectOption('name')
    await form.getByRole('textbox', { name: 'pumps' }).fill('P1\nP 2')
    await form.getByRole('textbox', { name: 'between' }).fill('{"from": 1}')
    await form.getByRole('textbox', { name: 'floor' }).fill('first')
    await dialog.getByRole('textbox', { name: 'Bound' }).fill('8')
    await dialog.getByRole('button', { name: 'Save' }).tap()
    await form.getByText('Enter a whole number.').waitFor()
    await mia.expectAccessible()
    await form.getByRole('textbox', { name: 'floor' }).fill('2')
    mia.expectMessage(/403 .*\/api\/watches\/try/)
    // The server says of the whole what the form cannot know.
    await dialog.getByRole('button', { name: 'Look now' }).tap()
    await dialog.getByText(/The arguments do not fit/).waitFor()
    await form.getByRole('checkbox', { name: 'As JSON' }).check()
    const json = form.getByRole('textbox', { name: 'Arguments as JSON' })
    const given = { hall: 'south', closed: false, sort: 'name', pumps: ['P1', 'P 2'], floor: 2 }
    expect(JSON.parse(await json.inputValue())).toEqual({ ...given, between: { from: 1 } })
    const whole = { ...given, between: { from: 1, to: 9 } }
    await json.fill(JSON.stringify(whole))
    await form.getByRole('checkbox', { name: 'As JSON' }).uncheck()
    expect(JSON.parse(await form.getByRole('textbox', { name: 'between' }).inputValue())).toEqual(whole.between)
    await expectFits(mia)
    await form.getByRole('textbox', { name: 'hall' }).focus()
    await pictures(page, 'watches-arguments')
    await dialog.getByRole('button', { name: 'Look now' }).tap()
    await dialog.getByRole('list', { name: 'What it sees now' }).getByText('1').waitFor()
    expect(gauge.calls.at(-1)).toEqual(whole)
    await dialog.getByRole('button', { name: 'Save' }).tap()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('South', { exact: true }).first().waitFor()

    // Nobody may call it any more: what it was given can still be read, and why it is no form.
    await stage.setRules(member, [{ subject: 'tool:gauge.read', effect: 'deny' }])
    await page.reload()
    await page.getByRole('button', { name: 'More about South' }).tap()
    await page.getByRole('menuitem', { name: 'Change' }).tap()
    const change = page.getByRole('dialog', { name: 'Change South' })
    await change.getByText('This tool is not available to you now').waitFor()
    expect(JSON.parse(await change.getByRole('textbox', { name: 'Arguments as JSON' }).inputValue())).toEqual(whole)
    await mia.expectAccessible()
    await pictures(page, 'watches-arguments-gone')
  })

  test('administrators have four from the start, which are off with one click, and find the page by the palette', async () => {
    const { page } = admin
    const client = await stage.as('admin')
    await watch.later(client, 'wat_certificate')
    await page.goto('/watches')
    for (const name of ['Backup overdue', 'Certificate expires soon', 'Disk almost full', 'Service failed'])
      await page.getByText(name, { exact: true }).first().waitFor()
    await page.getByText('The service has no certificate.').waitFor()
    await page.getByText('Not applicable').waitFor()
    await expectFits(admin)
    await pictures(page, 'watches-presets')
    // What has crossed is a warning on the dashboard, which leads here.
    await watch.disk(50, 2)
    await watch.later(client, 'wat_services')
    await watch.later(client, 'wat_services', 6 * MINUTE)
    await page.goto('/')
    // It is there once: first as the notice, and once that is read as what still is so.
    const read = page.getByRole('button', { name: 'Mark “Service failed” as read' })
    await read.waitFor()
    const warning = page.getByText('Service failed: local')
    expect(await warning.count()).toBe(0)
    await read.click()
    await warning.waitFor()
    await admin.expectAccessible()
    await pictures(page, 'watches-dashboard')
    await page.getByRole('link', { name: 'Open the watches' }).click()
    await page.getByRole('button', { name: 'Switch off Service failed' }).click()
    await page.getByRole('button', { name: 'Switch on Service failed' }).waitFor()
    const { items } = await client.call(contract.watches.listWatches)
    expect(items.filter(({ enabled }) => !enabled).map(({ preset }) => preset)).toEqual(['services'])
    await page.getByRole('button', { name: 'More about Disk almost full' }).click()
    await page.getByRole('menuitem', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change Disk almost full' })
    await dialog.getByRole('textbox', { name: 'Bound' }).fill('80')
    await dialog.getByRole('combobox', { name: 'Who is told' }).waitFor()
    await dialog.getByRole('textbox', { name: 'Recovered from' }).fill('75')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Disk space used above 80%').waitFor()

    await page.goto('/')
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByText('Service failed: local').count()).toBe(0)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox').first().fill('Watches')
    await page
      .getByRole('option', { name: /^Watches/ })
      .first()
      .click()
    await page.waitForURL((url) => url.pathname === '/watches')
  })
})
