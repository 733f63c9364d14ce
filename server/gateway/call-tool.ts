import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { MESSAGE_LIMIT } from '../../contract/message-limits.ts'
import { isTooDeep, JSON_DEPTH, namesPrototype } from '../kernel/text/json-depth.ts'
import { findTools } from './find-tools.ts'
import { holdCall } from './hold.ts'
import { isRefusal } from './failures.ts'
import { failed, outcomeOf } from './outcome.ts'
import type { ClientRequest, GatewayContext } from './ports.ts'
import { startCall, TooManyCalls } from './start-call.ts'
import { type OfferedTool, offeredTools } from './tool-list.ts'

/** Characters of the arguments of a call: it is stored as a message, which has its tool besides. */
const ARGUMENTS = MESSAGE_LIMIT - 1000
/** Answers of one client that wait at the same time, in this process. Further ones are given at once. */
const HELD = 16

const ResultOf = z.strictObject({ call: z.string().max(100) })
const CallOf = z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) })
const FindOf = z.strictObject({ words: z.string().max(1000) })

/** Runs one of the caller's tools, and waits for its end as long as an answer may. @throws {ProtocolError} */
export async function callTool(
  context: GatewayContext,
  request: ClientRequest,
  name: string,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const offered = (await offeredTools(context, request.caller)).find((one) => one.name === name)
  if (offered === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name} that this client may call.`)
  return callOffered(context, request, offered, input)
}

async function callOffered(
  context: GatewayContext,
  request: ClientRequest,
  { tool }: OfferedTool,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  // Whatever reads them afterwards may count on what this has seen.
  const wrong = unusable(input) ?? tool.check(tool.fill(input))
  if (wrong !== null) return failed('refused', `Nothing has run: ${wrong}`)
  let run_id: string
  try {
    run_id = await startCall(context, request, tool, input)
  } catch (error) {
    if (error instanceof TooManyCalls) return failed('refused', error.message)
    if (isRefusal(error)) return failed('refused', `Nothing has run: ${error.message}`)
    throw error
  }
  return finish(context, request, run_id, { stops: true })
}

/** Why no tool can be called with these arguments; null when one can. */
function unusable(input: Record<string, unknown>): string | null {
  if (isTooDeep(input)) return `the arguments are nested more than ${JSON_DEPTH} levels deep.`
  if (namesPrototype(input)) return 'an argument is called __proto__.'
  return JSON.stringify(input).length > ARGUMENTS ? `the arguments have more than ${ARGUMENTS} characters.` : null
}

/** The same by a name that was found: it is checked and judged as the tool itself. @throws {ProtocolError} */
export async function callFound(
  context: GatewayContext,
  request: ClientRequest,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const { tool, arguments: own } = parsed(CallOf, input)
  return callTool(context, request, tool, own)
}

/** Tools by words, among those that the caller may use. @throws {ProtocolError} */
export async function find(
  context: GatewayContext,
  request: ClientRequest,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const { words } = parsed(FindOf, input)
  return findTools(await offeredTools(context, request.caller), words, (module) =>
    context.tools.wording(module, request.caller.language),
  )
}

function parsed<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const given = schema.safeParse(input)
  if (given.success) return given.data
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, z.prettifyError(given.error))
}

/** Waits for the end of a call that this client has begun. @throws {ProtocolError} */
export async function callResult(
  context: GatewayContext,
  request: ClientRequest,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const { caller } = request
  const { call } = parsed(ResultOf, input)
  const row = await context.db.read
    .selectFrom('gateway_call')
    .select('run_id')
    .where('run_id', '=', call)
    .where('user_id', '=', caller.user_id)
    .where('client_id', '=', caller.session_id)
    .executeTakeFirst()
  if (row === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'This client has begun no such call: give `call` as it was told.',
    )
  // Whoever only asks how it goes may go away: the call has its handle.
  return finish(context, request, row.run_id, { stops: false })
}

async function finish(
  context: GatewayContext,
  request: ClientRequest,
  run_id: string,
  leaving: { readonly stops: boolean },
): Promise<CallToolResult> {
  const { caller, signal } = request
  const waiting = held.get(caller.session_id) ?? 0
  held.set(caller.session_id, waiting + 1)
  try {
    const now = await holdCall(waiting < HELD ? context : { ...context, hold: 0 }, request, run_id)
    // A client that leaves the call itself has stopped what runs. A card is not taken back: the same call finds it again.
    if (leaving.stops && signal.aborted && now.status === 'running') await context.runs.stop([run_id])
    return await outcomeOf(context, request, run_id, now)
  } finally {
    const left = held.get(caller.session_id)! - 1
    if (left === 0) held.delete(caller.session_id)
    else held.set(caller.session_id, left)
  }
}

/** How many answers of each client wait. */
const held = new Map<string, number>()
