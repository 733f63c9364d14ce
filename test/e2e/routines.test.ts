import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { command, type Member, openStage, type Stage } from '../stage/chat-stage.ts'
import { firesOf, type StoppedClock, stoppedClock, tick } from '../stage/routines/routine-stage.ts'
import { databases } from '../stage/servers/postgres.ts'
import { until } from '../stage/wait.ts'
import { pictures } from './pictures.ts'
import { chooseAction, expectFits, lastAnswer, openVisitor, type Visitor } from './visitor.ts'

describe('routines on a phone', () => {
  const opened = new AsyncDisposableStack()
  let stage: Stage
  let clock: StoppedClock
  let browser: Browser
  let phone: Visitor
  let page: Page
  let mia: Member
  let routine_id: string

  beforeAll(async () => {
    clock = stoppedClock(new Date().toISOString())
    stage = opened.use(await openStage(databases[0]!, { clock }))
    stage.play('clean the logs', (_, i) =>
      i % 2 === 0 ? [{ calls: [command('echo cleaned')] }] : [{ text: 'The logs are clean.' }],
    )
    mia = await stage.member('mia')
    await mia.client.call(contract.commands.create, { body: { name: 'Clean up', prompt: 'clean the logs' } })
    browser = await openBrowser()
    opened.defer(() => browser.close())
    phone = opened.use(await openVisitor(browser, stage.url, { phone: true, zone: 'Asia/Tokyo' }))
    phone.expectMessage(/\/api\/auth\/session\b/)
    await phone.signIn('mia')
    page = phone.page
  })
  afterAll(() => opened.disposeAsync())

  test('a quick command becomes a routine, which says when it will run', async () => {
    await page.goto('/chat')
    await page.getByRole('button', { name: 'Quick commands' }).tap()
    await page.getByRole('button', { name: 'Actions for Clean up' }).tap()
    await page.getByRole('menuitem', { name: 'Every …' }).tap()
    const dialog = page.getByRole('dialog', { name: 'New routine' })
    await dialog.getByRole('textbox', { name: 'Name' }).waitFor()
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Clean up')
    expect(await dialog.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('clean the logs')

    // While it is written: what is too often says so.
    await dialog.getByRole('combobox', { name: 'When' }).selectOption('cron')
    await dialog.getByRole('textbox', { name: 'Cron expression' }).fill('* * * * *')
    await dialog.getByText('Two times are less than 5 minutes apart.').waitFor()
    await dialog.getByRole('combobox', { name: 'When' }).selectOption('weekdays')
    await dialog.getByLabel('Time', { exact: true }).fill('03:00')
    await dialog.getByRole('combobox', { name: 'Time zone' }).selectOption('Europe/Berlin')
    await expect.poll(() => dialog.getByRole('listitem').count()).toBe(5)
    await dialog.getByRole('combobox', { name: 'system' }).selectOption('all')
    await dialog.getByRole('checkbox', { name: 'End with a report' }).check()
    await phone.expectAccessible()
    await pictures(page, 'routine-form')
    await dialog.getByRole('button', { name: 'Save' }).tap()
    const saved = page.getByRole('dialog', { name: '“Clean up” was saved' })
    await saved.waitFor()
    expect(await saved.getByRole('listitem').count()).toBe(5)
    await saved.getByRole('button', { name: 'Done' }).tap()
    await saved.waitFor({ state: 'detached' })
    const { items } = await mia.client.call(contract.routines.list)
    expect(items[0]).toMatchObject({ schedule: { cron: '0 3 * * 1-5', zone: 'Europe/Berlin' }, report: true })
    routine_id = items[0]!.routine_id
  })

  test('at night a card waits; once it is decided the run goes on, and the history says so', async () => {
    const { next } = (await mia.client.call(contract.routines.read, { params: { routine_id } })).routine
    clock.to(next[0]!)
    await tick(stage)
    await page.goto('/approvals')
    await page.getByRole('button', { name: 'Approve', exact: true }).tap()
    await until(async () => (await firesOf(mia.client, routine_id))[0]?.run?.status === 'done', { what: 'it is done' })
    await tick(stage)

    await page.getByRole('button', { name: /^Account/ }).tap()
    await page.getByRole('menuitem', { name: 'Routines' }).tap()
    await page.getByRole('heading', { name: 'Routines', level: 1 }).waitFor()
    await page.getByText('Times in Asia/Tokyo, the time zone of your browser').waitFor()
    const week = page.getByRole('list', { name: 'Next seven days' })
    // It is 10 o’clock there in winter, and 11 in summer.
    await week
      .getByText(/^1[01]:00 AM$/)
      .first()
      .waitFor()
    await week.getByText('3:00 AM in Europe/Berlin').first().waitFor()
    await page.getByText(/^Next: .*, 03:00 AM \(Europe\/Berlin\)$/).waitFor()
    await expectFits(phone)
    await pictures(page, 'routines')
    await page.getByRole('link', { name: 'Clean up' }).first().tap()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.getByText('Done').first().waitFor()
    await page.getByText('Monday to Friday · 3:00 AM').waitFor()
    const report = page.getByRole('link', { name: 'Report' })
    await report.waitFor()
    expect(await report.getAttribute('href')).toMatch(/^\/files\?f=fil_/)
    await expectFits(phone)
    await pictures(page, 'routine')
    await report.tap()
    await page
      .getByText(/^Clean up \d{4}-\d\d-\d\d\.md$/)
      .first()
      .waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Open' }).tap()
    await page.getByText('The logs are clean.').waitFor()
    expect(await firesOf(mia.client, routine_id)).toHaveLength(1)
  })

  test('what an answer did becomes a routine, with the tools that it used', async () => {
    await chooseAction(await lastAnswer(page), 'Every …', 'tap')
    const dialog = page.getByRole('dialog', { name: 'New routine' })
    await dialog.getByRole('textbox', { name: 'Message' }).waitFor()
    expect(await dialog.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('clean the logs')
    expect(await dialog.getByRole('combobox', { name: 'system' }).inputValue()).toBe('own')
    await dialog.getByRole('button', { name: 'Cancel' }).tap()
    await dialog.waitFor({ state: 'detached' })
  })

  test('another engine than the default is chosen for it', async () => {
    const admin = await stage.as('admin')
    const body = { provider: 'openai-compatible' as const, base_url: 'http://127.0.0.1:9/v1', price: null }
    const limits = { context_tokens: 8000, timeout_ms: 1000, idle_timeout_ms: 1000 }
    const { engine } = await admin.call(contract.engines.addEngine, {
      body: { ...body, ...limits, name: 'Spare', model: 'small', models: ['large'] },
    })
    await page.goto(`/routines/${routine_id}`)
    await page.getByRole('button', { name: 'Actions for Clean up' }).tap()
    await page.getByRole('menuitem', { name: 'Edit' }).tap()
    const choice = page.getByRole('dialog').getByRole('combobox', { name: 'Engine' })
    await choice.waitFor()
    expect(await choice.locator('option:checked').innerText()).toBe('Default engine')
    await choice.selectOption('Spare · large')
    await pictures(page, 'routine-engine')
    await page.getByRole('button', { name: 'Save' }).tap()
    await page.getByRole('button', { name: 'Done' }).tap()
    await page.getByText('Spare · large').waitFor()
    const { routine } = await mia.client.call(contract.routines.read, { params: { routine_id } })
    expect(routine.work).toMatchObject({ engine: { engine_id: engine.engine_id, model: 'large' } })
  })

  test('a webhook shows its secret once; a routine is paused, and goes on', async () => {
    await page.goto(`/routines/${routine_id}`)
    await page.getByRole('button', { name: 'Add webhook' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Add webhook' })
    await dialog.getByRole('combobox', { name: 'Who sends it' }).selectOption('alertmanager')
    await dialog.getByRole('button', { name: 'Create' }).tap()
    const made = page.getByRole('dialog', { name: 'The webhook is ready' })
    await made
      .getByText(/rvh_[\w-]+/)
      .first()
      .waitFor()
    await phone.expectAccessible()
    await made.getByRole('button', { name: 'Done' }).tap()
    await page.getByText('Never used').waitFor()
    expect(await page.getByText(/rvh_/).count()).toBe(0)

    await page.getByRole('button', { name: 'Actions for Clean up' }).tap()
    await page.getByRole('menuitem', { name: 'Pause' }).tap()
    await page.getByText('You paused it.').first().waitFor()
    await page.getByRole('button', { name: 'Actions for Clean up' }).tap()
    await page.getByRole('menuitem', { name: 'Resume' }).tap()
    await page.getByText('You paused it.').first().waitFor({ state: 'detached' })
    await page.getByText(/^Next times/).waitFor()
  })
})
