import { readFile } from 'node:fs/promises'
import { deflateRawSync, deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DocumentReader } from '../server/files/parse/document-reader.ts'
import { parseDocument } from '../server/files/parse/parse-document.ts'
import type { DocumentFormat } from '../server/files/parse/parsed-document.ts'
import { docx, lockedPdf, odf, paragraph, pdf, pptx, shape } from './stage/documents/document-samples.ts'
import { ANNA, pieces, startFiles } from './stage/documents/files-fixture.ts'
import { databases } from './stage/servers/postgres.ts'
import { zipBytes } from './stage/documents/zip-bytes.ts'

const MIB = 1024 * 1024

function readBy(reader: DocumentReader, format: DocumentFormat, content: string | Buffer) {
  const bytes = Buffer.from(content)
  return reader.read('ann', format, bytes.length, () => pieces(bytes))
}

/** A document of which only the beginning ever comes. */
async function* never() {
  yield Buffer.from('<p>')
  await new Promise<never>(() => undefined)
}

/** Without a process: what the parsers refuse by themselves. */
const read = (format: DocumentFormat, content: string | Buffer) =>
  parseDocument(format, Buffer.from(content), { characters: 10_000, soft_ms: 60_000 })

describe('hostile documents', () => {
  test.for<[DocumentFormat, string, Buffer | string, RegExp]>([
    ['pdf', 'nothing', '', /damaged/],
    ['pdf', 'text', '%PDF-1.7 and no more', /damaged/],
    ['pdf', 'a password', lockedPdf(), /^The PDF is protected by a password/],
    ['docx', 'nothing', '', /damaged/],
    ['docx', 'a picture', Buffer.from('89504e470d0a1a0a', 'hex'), /damaged/],
    ['docx', 'half of it', docx(paragraph('x')).subarray(0, 300), /damaged/],
    ['docx', 'another archive', zipBytes([{ name: 'a.txt', data: 'x' }]), /^The file is not a Word document/],
    ['odt', 'another archive', zipBytes([{ name: 'a.txt', data: 'x' }]), /^The file is not an OpenDocument/],
    ['pptx', 'another archive', zipBytes([{ name: 'a.txt', data: 'x' }]), /^The file is not a presentation/],
    [
      'odt',
      'a password',
      odf('text', '', [{ name: 'META-INF/manifest.xml', data: '<a><manifest:encryption-data/></a>' }]),
      /password/,
    ],
    ['docx', 'a password', compoundFile('EncryptedPackage'), /^The file is protected by a password/],
    ['docx', 'the old format', compoundFile('WordDocument'), /old binary format/],
    ['eml', 'bytes', Buffer.alloc(1000), /not a mail/],
    ['rtf', 'text', 'hello', /not a Rich Text file/],
    ['html', 'bytes', Buffer.alloc(1000), /content is not/],
  ])('%s with %s is refused with a sentence', async ([format, , content, sentence]) => {
    await expect(read(format, content)).rejects.toMatchObject({
      name: 'DocumentError',
      message: expect.stringMatching(sentence),
    })
  })

  test('an entity bomb is refused, not expanded', async () => {
    const laughs = '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>'
    const file = zipBytes([{ name: 'content.xml', data: `<?xml version="1.0"?>${laughs}<x><p>&b;</p></x>` }])
    await expect(read('odt', file)).rejects.toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/document type/),
    })
  })

  test('a part that unpacks to gigabytes is given up at the limit', async () => {
    const data = Buffer.alloc(80 * MIB, ' ')
    const packed = deflateRawSync(data, { level: 9 })
    for (const size of [data.length, 1000]) {
      const bomb = zipBytes([{ name: 'content.xml', packed, method: 8, size, crc: 0 }])
      await expect(read('odt', bomb)).rejects.toMatchObject({
        status: 'failed',
        message: expect.stringMatching(/larger than 64 MB|damaged/),
      })
    }
  })

  test('a directory of more parts than any document has', async () => {
    const entries = Array.from({ length: 20_001 }, (_, i) => ({ name: `word/media/${i}` }))
    await expect(read('docx', zipBytes(entries))).rejects.toMatchObject({
      message: expect.stringMatching(/more than 20000 parts/),
    })
  })

  test('elements nested a million deep', async () => {
    const deep = odf('text', '<text:span>'.repeat(1_000_000))
    await expect(read('odt', deep)).rejects.toMatchObject({ message: expect.stringMatching(/nested too deeply/) })
    await expect(read('rtf', `{\\rtf1 ${'{'.repeat(1_000_000)}`)).rejects.toMatchObject({
      message: expect.stringMatching(/nested too deeply/),
    })
    const boxes = await read('html', `<p>seen</p>${'<div>'.repeat(1_000_000)}inside`)
    expect(boxes).toMatchObject({
      text: 'seen',
      complete: false,
      detail: { template: expect.stringMatching(/nested too deeply/) },
    })
  })

  test('a PDF that claims a hundred thousand pages', async () => {
    const claims = await read('pdf', pdf(['only one'], { pages: 100_000 }))
    expect(claims.text).toBe('[Page 1]\nonly one')
  })

  test('a PDF page that unpacks to gigabytes costs its own process only', async () => {
    const strict = new DocumentReader({ ms: 8000, memory: 400, heap: 128 })
    const content = deflateSync(Buffer.alloc(300 * MIB, ' '), { level: 9 })
    const found = await readBy(strict, 'pdf', pdf(['x'], { content })).catch((error: Error) => error)
    expect(found).toSatisfy((it: unknown) => it instanceof Error || (it as { text: unknown }).text === null)
    await strict[Symbol.asyncDispose]()
  })

  test('more text than is kept is cut, and said to be', async () => {
    const long = await read('docx', docx(paragraph('word '.repeat(50_000))))
    expect(long.text!.length).toBeLessThanOrEqual(10_000)
    expect(long.complete).toBe(false)
    const slides = Array.from({ length: 300 }, () => ({ shapes: shape('word '.repeat(100)) }))
    expect(await read('pptx', pptx(slides))).toMatchObject({ complete: false, pages: 300 })
  })

  test('a parser that does not end is ended, and the next document is read', async () => {
    // Enough for the next one on a busy machine; the first never has all of its document.
    await using hasty = new DocumentReader({ ms: 3000, atOnce: 1 })
    await expect(hasty.read('ann', 'html', 3, never)).rejects.toMatchObject({
      message: 'Reading it did not finish within 3 s.',
      lasting: false,
    })
    await expect.poll(() => hasty.pids()).toEqual([])
    expect(await readBy(hasty, 'html', '<p>x')).toMatchObject({ text: 'x', complete: true })
  })

  test('a document over the size limit is not even opened', async () => {
    const small = new DocumentReader({ size: MIB })
    const bytes = () => {
      throw new Error('opened')
    }
    await expect(small.read('ann', 'pdf', MIB + 1, bytes)).rejects.toMatchObject({
      status: 'unsupported',
      message: 'Documents over 1 MB are not read.',
    })
  })

  test('closing ends what is being read and what waits', async () => {
    const closing = new DocumentReader({ atOnce: 1 })
    const all = [1, 2, 3].map(() => closing.read('ann', 'html', 3, never))
    const settled = Promise.allSettled(all)
    await expect.poll(() => closing.pids().length).toBe(1)
    await closing[Symbol.asyncDispose]()
    for (const result of await settled)
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'The service is stopping.' } })
  })

  test('reading costs the service itself next to nothing', async () => {
    await using reader = new DocumentReader()
    const large = odf('text', '<text:p>words in it</text:p>'.repeat(300_000))
    const before = performance.eventLoopUtilization()
    const { text } = await readBy(reader, 'odt', large)
    const { utilization } = performance.eventLoopUtilization(before)
    expect(text!.length).toBe(1_000_000)
    // A share, because another test may have the machine at the same time.
    expect(utilization).toBeLessThan(0.5)
  })

  test('who is stopped does not wait for a parser', async () => {
    await using closing = new AsyncDisposableStack()
    const { attachments, documents, put } = await startFiles(closing, databases[0]!)
    closing.use(documents)
    const { file_id } = await put('a.html', '<p>x')
    const stop = new AbortController()
    const reading = attachments.read(ANNA, file_id, 10, { signal: stop.signal })
    await expect.poll(() => documents.pids().length).toBe(1)
    stop.abort()
    await expect(reading).rejects.toThrow('Stopped')
    // Who asks next gets what was read meanwhile.
    expect(await attachments.read(ANNA, file_id, 10)).toMatchObject({ text: 'x', parsing: { parser: 'html' } })
    await expect(attachments.read(ANNA, file_id, 10, { signal: stop.signal })).rejects.toThrow('Stopped')
  })

  test('a parser has no settings, may write nothing, start nothing and make no code of text', async () => {
    await using reader = new DocumentReader()
    const reading = readBy(reader, 'html', '<p>x')
    await expect.poll(() => reader.pids().length).toBe(1)
    const command = (await readFile(`/proc/${reader.pids()[0]}/cmdline`, 'utf8')).split('\0')
    expect(command).toEqual(expect.arrayContaining(['--permission', '--disallow-code-generation-from-strings']))
    expect(command).not.toContain('--allow-fs-write')
    expect(await readFile(`/proc/${reader.pids()[0]}/environ`, 'utf8')).not.toMatch(/REEVE|PATH=/)
    await reading
  })
})

/** The container of old office files, with one name in it. */
function compoundFile(name: string): Buffer {
  return Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1024), Buffer.from(name, 'utf16le')])
}
