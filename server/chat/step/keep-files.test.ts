import { expect, test } from 'vitest'
import type { FileRef } from '../../../contract/files.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { keepFiles } from './keep-files.ts'
import { RESULT_TEXT_LIMIT, type ToolFile } from '../ports/tools.ts'

const verdict = (effect: 'allow') => ({ effect, reason: 'allowed', basis: '' })
const policy = { user_id: 'usr_1', permission: () => verdict('allow') } as never
const errors: object[] = []
const log = { error: (fields: object) => errors.push(fields) } as never
const file = (name: string, size = 1): ToolFile => ({ name, media_type: 'text/plain', data: new Uint8Array(size) })
const ref = (name: string): FileRef => ({ file_id: 'fil_1', name, media_type: 'text/plain', size: 1, extension: 'txt' })

function keep(files: ToolFile[], save: (file: ToolFile) => Promise<FileRef>, text = 'Done.') {
  const attachments = { save: (_user: string, _run: string, one: ToolFile) => save(one) }
  const step = { ports: { attachments }, log, policy, run: { row: { run_id: 'run_1' } } } as never
  return keepFiles(step, { status: 'done', text, tables: [], files })
}

test('a full quota or a broken store costs the file, never the result', async () => {
  const { kept, text } = await keep([file('a.txt'), file('b.txt'), file('c.txt')], ({ name }) => {
    if (name === 'a.txt') return Promise.reject(new AppError('quota_exceeded', say`Your files may have at most 5 GB.`))
    return name === 'b.txt' ? Promise.reject(new Error('EIO /data/files/x')) : Promise.resolve(ref(name))
  })
  expect(kept).toEqual([ref('c.txt')])
  expect(text.split('\n')).toEqual([
    'Done.',
    '[File "a.txt" was not kept. Your files may have at most 5 GB.]',
    '[File "b.txt" was not kept. It could not be stored.]',
    '[Stored file "c.txt", text/plain, 1 bytes, file_id fil_1]',
  ])
  expect(errors).toHaveLength(1)
})

test('too many files, too many bytes and too much text are bounded', async () => {
  const many = Array.from({ length: 25 }, (_, i) => file(`${i}.txt`, i === 3 ? 17 * 1024 * 1024 : 1))
  const { kept, text } = await keep(many, ({ name }) => Promise.resolve(ref(name)), 'x'.repeat(RESULT_TEXT_LIMIT))
  expect(kept.map(({ name }) => name)).toEqual(['0.txt', '1.txt', '2.txt'])
  expect(text).toHaveLength(RESULT_TEXT_LIMIT)
  expect(text.endsWith('[Files beyond the limit that were not kept: 5]')).toBe(true)
})
