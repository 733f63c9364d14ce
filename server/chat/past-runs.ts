import type { PastRun, runsAdmin } from '../../contract/runs-admin.ts'
import type { Caller, HandlerInput } from '../../contract/route.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { idAt } from '../kernel/id.ts'
import { say } from '../kernel/sentence.ts'
import { storable } from '../kernel/text/plain-text.ts'
import { iso, isoOrNull } from '../kernel/time.ts'

const TOOLS = 10
/** After every id of a run, in any order of characters that a database may have. */
const END = idAt('run', 32 ** 10 - 1)

/** Runs of all users that have ended, newest first. @throws {AppError} invalid_request for an invalid cursor */
export async function pastRuns(
  reader: Reader,
  caller: Caller,
  query: HandlerInput<(typeof runsAdmin)['pastRuns']>['query'],
): Promise<{ items: PastRun[]; next_cursor: string | null }> {
  const { user_id, status, model, ai_mode, from, to, limit, cursor } = query
  if (cursor !== undefined && !/^run_[0-9a-z]{28}$/.test(cursor))
    throw new AppError('invalid_request', say`The cursor is not one that this list gave.`, {
      errors: [{ path: 'cursor', message: say`take it from next_cursor` }],
    })
  // Ids sort by time.
  const before = to === undefined ? END : idAt('run', Date.parse(to) + 1)
  const rows = await reader
    .selectFrom('run')
    .innerJoin('user', 'user.user_id', 'run.user_id')
    .innerJoin('conversation', 'conversation.conversation_id', 'run.conversation_id')
    .select([
      'run.run_id',
      'run.user_id',
      'user.username',
      'user.display_name',
      'run.status',
      'run.ai_mode',
      'run.model',
      'run.step',
      'run.input_tokens',
      'run.output_tokens',
      'run.cost_micros',
      'run.error_code',
      'run.created_at',
      'run.ended_at',
      'run.conversation_id',
      'conversation.title',
      'conversation.deleted_at',
    ])
    .where('run.ended_at', 'is not', null)
    .where('run.run_id', '<', cursor !== undefined && cursor < before ? cursor : before)
    .$if(from !== undefined, (runs) => runs.where('run.run_id', '>=', idAt('run', Date.parse(from!))))
    .$if(user_id !== undefined, (runs) => runs.where('run.user_id', '=', storable(user_id!)))
    .$if(status !== undefined, (runs) => runs.where('run.status', '=', status!))
    .$if(model !== undefined, (runs) => runs.where('run.model', '=', storable(model!)))
    .$if(ai_mode === 'direct', (runs) => runs.where('run.model', 'is', null))
    .$if(ai_mode === 'model', (runs) => runs.where('run.model', 'is not', null))
    .orderBy('run.run_id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  const tools = await toolsOf(
    reader,
    shown.map(({ run_id }) => run_id),
  )
  const items = shown.map(({ step, created_at, ended_at, conversation_id, title, deleted_at, ...run }) => {
    const own = run.user_id === caller.user_id && deleted_at === null
    return {
      ...run,
      steps: step,
      started_at: iso(created_at),
      ended_at: isoOrNull(ended_at),
      tools: tools.get(run.run_id) ?? [],
      conversation_id: own ? conversation_id : null,
      title: own ? title : null,
    }
  })
  return { items, next_cursor: rows.length > limit ? shown.at(-1)!.run_id : null }
}

async function toolsOf(reader: Reader, run_ids: readonly string[]): Promise<Map<string, string[]>> {
  const calls =
    run_ids.length === 0
      ? []
      : await reader
          .selectFrom('tool_call')
          .select(({ fn }) => ['run_id', 'module', 'tool', fn.min('tool_call_id').as('first')])
          .where('run_id', 'in', run_ids)
          .where('module', '!=', '')
          .groupBy(['run_id', 'module', 'tool'])
          .execute()
  const tools = new Map<string, string[]>()
  for (const { run_id, module, tool } of calls.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const known = tools.get(run_id) ?? []
    if (known.length < TOOLS) tools.set(run_id, [...known, `${module}.${tool}`])
  }
  return tools
}
