import { expect } from 'vitest'
import type { ToolResult } from '../../../server/chat/ports/tools.ts'
import type { BuiltinModule, BuiltinSettings } from '../../../server/modules/spec/builtin-module.ts'
import { builtinSpec } from '../../../server/modules/spec/builtin-spec.ts'
import { openHost } from '../../../server/modules/host.ts'
import { toolRequest } from '../tool-request.ts'

export interface BuiltinHost extends AsyncDisposable {
  readonly tools: () => string[]
  call(tool: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>
  /** The result of a call that must work. */
  done(tool: string, input?: Record<string, unknown>): Promise<ToolResult>
  /** The sentence of a call that must fail. */
  refused(tool: string, input?: Record<string, unknown>): Promise<string>
}

/** One built-in module with these settings behind the real host; calls come from `user_id` in `run_id`. */
export async function openBuiltin(
  builtin: BuiltinModule,
  settings: BuiltinSettings = {},
  caller: { user_id?: string; run_id?: string } = {},
): Promise<BuiltinHost> {
  const host = openHost({ log: { info: () => undefined, warn: () => undefined } })
  const { name } = builtin.manifest
  host.apply([builtinSpec(builtin, settings)])
  await host.started(name)
  const call = (tool: string, input: Record<string, unknown> = {}, signal = new AbortController().signal) =>
    host.call({ ...toolRequest(name, tool, input), ...caller }, signal, () => undefined)
  return {
    tools: () => host.list().map((tool) => tool.name),
    call,
    async done(tool, input) {
      const result = await call(tool, input)
      expect(result).toMatchObject({ status: 'done' })
      return result
    },
    async refused(tool, input) {
      const result = await call(tool, input)
      expect(result).toMatchObject({ status: 'failed' })
      return result.text
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}
