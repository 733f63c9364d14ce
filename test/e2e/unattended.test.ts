import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { openProceduresStage, type ProceduresStage } from '../stage/procedures/procedures-stage.ts'
import { createRoutine, ended, stoppedClock } from '../stage/routines/routine-stage.ts'
import { databases } from '../stage/servers/postgres.ts'
import { MINUTE, watching } from '../stage/watches/watch-stage.ts'
import { pictures } from './pictures.ts'
import { expectFits, openVisitor, type Visitor } from './visitor.ts'

/** What an administrator finds in the morning; the guide and the documents show these pages. */
describe('what ran by itself', () => {
  const opened = new AsyncDisposableStack()
  let stage: ProceduresStage
  let browser: Browser
  let admin: Visitor

  beforeAll(async () => {
    // Nothing is due while the pages are looked at, whatever time it is.
    stage = opened.use(await openProceduresStage(databases[0]!, [], { clock: stoppedClock(new Date().toISOString()) }))
    browser = await openBrowser()
    opened.defer(() => browser.close())
    admin = opened.use(await openVisitor(browser, stage.url))
    admin.expectMessage(/\/api\/auth\/session\b/)
    await admin.signIn('admin')
  })
  afterAll(() => opened.disposeAsync())

  test('routines show how they went, and the days that come', async () => {
    const { page } = admin
    const zone = 'UTC'
    const morning = await createRoutine(stage.reviewer, {
      name: 'Morning check',
      text: '/system.disks',
      cron: '30 7 * * 1-5',
      zone,
      report: true,
    })
    await createRoutine(stage.reviewer, { name: 'Certificates', text: '/system.certificates', cron: '0 6 * * 1', zone })
    await createRoutine(stage.reviewer, { name: 'On an alert', text: '/system.services', cron: null })
    const { routine_id } = morning
    await stage.reviewer.call(contract.routines.run, { params: { routine_id } })
    expect((await ended(stage, stage.reviewer, routine_id)).run).toMatchObject({ status: 'done' })
    await page.goto('/routines')
    await page.getByRole('heading', { name: 'Next seven days' }).waitFor()
    await page.getByText('Morning check').nth(1).waitFor()
    await expectFits(admin)
    await pictures(page, 'unattended-routines')
  })

  test('an example waits for its review, with every step', async () => {
    const { page } = admin
    const of = await stage.author.call(contract.procedures.addExample, { body: { example: 'disk-full' } })
    const { procedure } = await stage.submit(of)
    await page.goto(`/procedures/${procedure.procedure_id}`)
    await page.getByText('system.journal_vacuum').waitFor()
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    expect(await page.getByText('asks first', { exact: true }).count()).toBe(1)
    await expectFits(admin)
    await pictures(page, 'unattended-review')
  })

  test('watches show what has crossed; all of it is among the notices', async () => {
    const { page } = admin
    const watch = watching(stage)
    await watch.disk(93)
    await watch.later(stage.reviewer, 'wat_disk')
    await watch.later(stage.reviewer, 'wat_disk', 11 * MINUTE)
    await page.goto('/watches')
    await page.getByText('Crossed', { exact: true }).first().waitFor()
    await expectFits(admin)
    await pictures(page, 'unattended-watches')
    await page.goto('/approvals?view=notices')
    const notices = page.getByRole('list', { name: 'Notices' })
    for (const name of ['Disk almost full', 'Disk is full', 'Morning check'])
      await notices.getByText(name, { exact: true }).waitFor()
    expect(await notices.getByRole('listitem').count()).toBe(3)
    await expectFits(admin)
    await pictures(page, 'unattended-notices')
  })
})
