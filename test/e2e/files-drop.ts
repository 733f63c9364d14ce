import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'

/** Drags files and folders of this machine over a page and lets them fall, as a person's file manager does it. */
export interface Dragging extends AsyncDisposable {
  /** Into the middle of the page; each is a file with these bytes, or a folder when it has none. */
  over(things: Readonly<Record<string, Buffer | null>>): Promise<void>
  /** As a browser says it several times a second, whether or not the pointer moves. */
  stay(): Promise<void>
  drop(): Promise<void>
  /** Out of the window again. */
  leave(): Promise<void>
}

export async function openDragging(page: Page): Promise<Dragging> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-drag-'))
  const session: CDPSession = await page.context().newCDPSession(page)
  const { width, height } = page.viewportSize()!
  let paths: string[] = []
  const send = (type: 'dragEnter' | 'dragOver' | 'drop' | 'dragCancel'): Promise<unknown> =>
    session.send('Input.dispatchDragEvent', {
      type,
      x: width * 0.7,
      y: height / 2,
      data: { items: [], files: paths, dragOperationsMask: 1 },
    })
  return {
    async over(things) {
      paths = []
      for (const [name, bytes] of Object.entries(things)) {
        const path = join(folder, name)
        await (bytes === null ? mkdir(path) : writeFile(path, bytes))
        paths.push(path)
      }
      await send('dragEnter')
      await send('dragOver')
    },
    async stay() {
      await send('dragOver')
    },
    async drop() {
      // As a browser says it until the last moment: what has appeared under the files meanwhile hears it, too.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      await send('dragOver')
      await send('drop')
    },
    async leave() {
      // A cancelled drag of the browser's own protocol tells the page nothing; a person's does.
      await page.dispatchEvent('body', 'dragleave')
      await send('dragCancel')
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Pastes a file into whatever has the focus. */
export async function pasteFile(page: Page, name: string, type: string, bytes: Buffer): Promise<void> {
  await page.evaluate(
    ([fileName, mime, base64]) => {
      const data = new DataTransfer()
      data.items.add(
        new File([Uint8Array.from(atob(base64!), (byte) => byte.charCodeAt(0))], fileName!, { type: mime! }),
      )
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
      ;(document.activeElement ?? document.body).dispatchEvent(event)
    },
    [name, type, bytes.toString('base64')],
  )
}
