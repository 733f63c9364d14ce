import { beforeEach, expect, test } from 'vitest'
import type { ActivityEvent } from '../../../contract/chat.ts'
import { queryClient } from '../../client/query-client.ts'
import { listKey, updateLists } from './conversation-list-cache.ts'

const KEY = listKey({ kind: 'others', folderId: null, q: '' })
const tell = (data: Partial<ActivityEvent>) =>
  updateLists({
    kind: 'event',
    event: { id: 1, type: 'conversation.updated', conversation_id: 'c1', at: '2026-11-01T00:00:00Z', ...data },
  })
const isReadAgain = () => queryClient.getQueryState(KEY)!.isInvalidated

beforeEach(() => {
  queryClient.clear()
  queryClient.setQueryData(KEY, { pages: [{ items: [], next_cursor: null }], pageParams: [null] })
})

test('lists are read again for a conversation that they do not know', () => {
  tell({ title: 'New' })
  expect(isReadAgain()).toBe(true)
})

test('calls of MCP clients are in none, until a person goes on with one', () => {
  tell({ title: 'Call', unlisted: true })
  tell({ type: 'run.started' })
  expect(isReadAgain()).toBe(false)
  tell({ title: 'Call' })
  expect(isReadAgain()).toBe(true)
})
