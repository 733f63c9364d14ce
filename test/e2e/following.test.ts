import type { Browser, CDPSession, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { workingModule } from '../stage/modules/working-module.ts'
import { gate, startScriptedModel, type Gate, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const LINES = 1000
/** The long answer goes on after each piece once that has been in some frames: their number is no matter of speed. */
const PIECES = 10
const FRAMES = 4
const pieces: readonly string[] = Array.from({ length: PIECES }, (_, piece) => {
  const first = (piece * LINES) / PIECES + 1
  return Array.from({ length: LINES / PIECES }, (_line, more) => `Line ${first + more} of the long answer.\n\n`).join(
    '',
  )
})
const list = (of: string, more: object = {}) => ({ name: 'works.list', arguments: { of, ...more } })

/** An answer that goes on until the gate is open: lines to leave behind, a pause, and lines that arrive then. */
const paused = (more: Gate): ScriptedStep[] => [
  { text: Array.from({ length: 80 }, (_, line) => `Before ${line}.`).join('\n\n') },
  { wait: more },
  { text: `\n\n${Array.from({ length: 80 }, (_, line) => `After ${line}.`).join('\n\n')}\n\nThe very end.` },
]

describe('following an answer', () => {
  const opened = new AsyncDisposableStack()
  const gates: Record<string, Gate> = {}
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page
  let log: Locator

  beforeAll(async () => {
    const model = opened.use(
      await startScriptedModel((request) => {
        const question = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
        const results = request.messages.slice(request.messages.findLastIndex(({ role }) => role === 'user'))
        const step = results.filter(({ role }) => role === 'assistant').length
        const pause = /pause-(\w+)/.exec(question)?.[1]
        if (pause !== undefined) return paused((gates[pause] ??= gate()))
        if (!question.includes('everything')) return [{ text: 'Understood.' }]
        const steps: ScriptedStep[][] = [
          [
            { reasoning: 'I look at five things first. '.repeat(20) },
            { text: 'I look. '.repeat(30), each: 'word' },
            { calls: [list('disks'), list('fans', { rows: 40 }), list('wide', { rows: 5, columns: 30 })] },
          ],
          [
            { text: 'And at more. '.repeat(30), each: 'word' },
            { calls: [list('ports'), { name: 'works.fail', arguments: { why: 'No such thing.' } }] },
          ],
          [
            { text: `| a | b |\n|---|---|\n${'| some cell | another |\n'.repeat(30)}\n\n`, each: 'word' },
            ...pieces.flatMap((text, piece): ScriptedStep[] => [
              { text, each: 'word' },
              { wait: (gates[`piece-${piece}`] ??= gate()) },
            ]),
          ],
        ]
        return steps[step] ?? [{ text: 'Nothing more.' }]
      }),
    )
    app = opened.use(await startTestApp({ model, builtins: [workingModule()] }))
    await app.as('admin')
    browser = await openBrowser({ scrollbars: true })
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
    log = page.getByRole('log', { name: 'Messages' })
  })
  afterAll(() => opened.disposeAsync())

  const jump = (): Locator => page.getByRole('button', { name: 'Jump to newest' })
  const toEnd = (): Promise<number> => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)

  test('the newest line is in view in every frame: five calls, tables, a wide one, and 1,000 lines', async () => {
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await page.evaluate(watchEnd)
    await say(page, 'Tell me everything')
    const watched = () => page.evaluate(() => (window as unknown as { seen: Seen }).seen)
    for (const piece of pieces.keys()) {
      await page.getByText(`Line ${((piece + 1) * LINES) / PIECES} of the long answer.`).waitFor({ timeout: 120_000 })
      const { frames } = await watched()
      await expect.poll(async () => (await watched()).frames).toBeGreaterThanOrEqual(frames + FRAMES)
      gates[`piece-${piece}`]!.open()
    }
    await lastAnswer(page)
    const seen = await watched()
    expect(seen.hidden).toEqual([])
    expect(await jump().count()).toBe(0)
    await pictures(page, 'following')
  }, 180_000)

  const ways: [string, (page: Page, log: Locator) => Promise<void>][] = [
    ['the wheel', (at) => at.mouse.wheel(0, -30)],
    ['PageUp', (at) => at.keyboard.press('PageUp')],
    ['an arrow', (at) => at.keyboard.press('ArrowUp')],
    ['Home', (at) => at.keyboard.press('Home')],
    ['the scroll bar', dragScrollBar],
  ]
  test.each(ways)('%s leaves the end, and growth does not take the reader back', async (name, leave) => {
    const cue = name.replaceAll(' ', '')
    const more = (gates[cue] ??= gate())
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, `pause-${cue}`)
    await log.getByText('Before 79.', { exact: true }).waitFor()
    await expect.poll(toEnd).toBeLessThan(1)
    await log.focus()
    await log.hover()
    await leave(page, log)
    await jump().waitFor()
    await expect.poll(toEnd).toBeGreaterThan(1)
    await covered(page, log)
    await settled(log)
    const before = await log.evaluate((box) => box.scrollTop)
    more.open()
    await lastAnswer(page)
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
    )
    expect(await log.evaluate((box) => box.scrollTop)).toBe(before)
    await visitor.expectAccessible()
    await jump().click()
    await log.getByText('The very end.').waitFor()
    await expect.poll(toEnd).toBeLessThan(1)
    expect(await jump().count()).toBe(0)
  })

  test('reaching the end again follows again', async () => {
    const more = (gates['again'] ??= gate())
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, 'pause-again')
    await log.getByText('Before 79.', { exact: true }).waitFor()
    await log.hover()
    await page.mouse.wheel(0, -600)
    await jump().waitFor()
    await page.mouse.wheel(0, 2000)
    await jump().waitFor({ state: 'detached' })
    more.open()
    await lastAnswer(page)
    await log.getByText('The very end.').waitFor()
    await expect.poll(toEnd).toBeLessThan(1)
  })

  test('a finger leaves the end, on a phone in the dark', async () => {
    const more = (gates['finger'] ??= gate())
    await using phone = await openVisitor(browser, app.url, { phone: true, dark: true })
    phone.expectMessage(/\/api\/auth\/session\b/)
    await phone.signIn('admin')
    await phone.page.goto('/chat?new=true')
    await messageBox(phone.page).waitFor()
    await say(phone.page, 'pause-finger')
    const messages = phone.page.getByRole('log', { name: 'Messages' })
    await messages.getByText('Before 79.', { exact: true }).waitFor()
    const hand = await phone.context.newCDPSession(phone.page)
    await swipe(hand, 300, 420)
    const button = phone.page.getByRole('button', { name: 'Jump to newest' })
    await button.waitFor()
    await covered(phone.page, messages)
    await settled(messages)
    const before = await messages.evaluate((box) => box.scrollTop)
    more.open()
    await lastAnswer(phone.page)
    expect(await messages.evaluate((box) => box.scrollTop)).toBe(before)
    await phone.expectAccessible()
    await pictures(phone.page, 'not-following')
    await button.tap()
    await messages.getByText('The very end.').waitFor()
    await expect.poll(() => button.count()).toBe(0)
  })
})

interface Seen {
  frames: number
  /** What was out of view: how many pixels of the end, once for each frame. */
  hidden: number[]
}

/**
 * In the page: measures in every frame, after layout and before it is painted, how much of the newest line is below the
 * view. An observer that is made last is told last.
 */
function watchEnd(): void {
  const seen: Seen = { frames: 0, hidden: [] }
  Object.assign(window, { seen })
  const probe = document.body.appendChild(document.createElement('div'))
  probe.style.cssText = 'position:fixed;height:1px;pointer-events:none'
  let observer: ResizeObserver | null = null
  const next = (): void => {
    probe.style.width = `${(seen.frames % 7) + 1}px`
    // Made anew for each frame, so that it comes after all of the page's own.
    observer?.disconnect()
    observer = new ResizeObserver(look)
    observer.observe(probe)
    requestAnimationFrame(next)
  }
  const look = (): void => {
    const box = document.querySelector('[role=log]')
    if (box === null) return
    seen.frames++
    const last = box.querySelector('li:last-child')?.getBoundingClientRect().bottom ?? 0
    const left = Math.round(last - box.getBoundingClientRect().bottom)
    if (left > 1) seen.hidden.push(left)
  }
  requestAnimationFrame(next)
}

/** The button lies outside of what is read. */
async function covered(page: Page, log: Locator): Promise<void> {
  const button = (await page.getByRole('button', { name: 'Jump to newest' }).boundingBox())!
  const text = (await log.boundingBox())!
  const box = (await messageBox(page).boundingBox())!
  expect(button.y).toBeGreaterThanOrEqual(text.y + text.height)
  expect(button.y + button.height).toBeLessThanOrEqual(box.y)
}

async function dragScrollBar(page: Page, log: Locator): Promise<void> {
  const box = (await log.boundingBox())!
  const x = box.x + box.width - 5
  const thumb = box.y + box.height - 30
  await page.mouse.move(x, thumb)
  await page.mouse.down()
  await page.mouse.move(x, thumb - 60, { steps: 4 })
  await page.mouse.up()
}

/** A finger that goes down the screen and stops before it is lifted, so that nothing rolls on. */
async function swipe(hand: CDPSession, from: number, to: number): Promise<void> {
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number) =>
    hand.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: 180, y }] })
  await touch('touchStart', from)
  for (let y = from; y <= to; y += 10) await touch('touchMove', y)
  await touch('touchMove', to)
  await touch('touchEnd', to)
}

/** Waits until nothing scrolls any more. */
async function settled(log: Locator): Promise<void> {
  let before = -1
  const moved = async (): Promise<boolean> => {
    const now = await log.evaluate((box) => box.scrollTop)
    const same = now === before
    before = now
    return same
  }
  await expect.poll(moved, { interval: 100 }).toBe(true)
}
