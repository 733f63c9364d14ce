import type { PreviewKind, Table } from '../../../contract/chat.ts'
import { MACHINE_MODULE } from '../../../contract/host-values.ts'
import type { Wording } from '../../kernel/wording.ts'
import type { Reach } from '../../../contract/modules.ts'

/** The port through which a run sees the tools of all enabled modules. `modules` implements it, `app` fills it. */
export interface Tools {
  /** Tools of modules that are enabled and ready now, in a stable order. Cheap: cached, never asks a module. */
  list(): readonly Tool[]
  /** The tool `<module>.<tool>`, or undefined. */
  find(module: string, tool: string): Tool | undefined
  /** How the texts of a module read in a language, whether it runs or not; as they are when it is gone. */
  wording(module: string, language: string): Wording
  /** What people know it by. */
  moduleTitle(module: string, language: string): string
  /** What a module says about its tools, as an administrator agreed to it: its own words. Null if it says nothing. */
  instructions(module: string): string | null
  /** Differs whenever a tool is shown differently: another list, or another version of a module. */
  revision(): string
  /**
   * Runs a tool once. Never throws: a failure, a timeout or a dead module is a result. Aborting `signal` stops the tool
   * within a second if it can be stopped; `status: 'unknown'` means that it may have had an effect and no one can tell.
   */
  call(call: ToolRequest, signal: AbortSignal, progress: (text: string) => void): Promise<ToolResult>
  /** Makes sure that all modules that can start have been started; list() is complete afterwards. Never rejects. */
  ready(): Promise<void>
}

/** A picture of a module's own, as base64; its address names its content. */
export interface Picture {
  readonly url: string
  readonly digest: string
  readonly media_type: string
  readonly data: string
}
/** For each theme. */
export interface Icons {
  readonly light: Picture
  readonly dark: Picture
}

/** Where they are read. */
export function addressesOf({ light, dark }: Icons): { light: string; dark: string } {
  return { light: light.url, dark: dark.url }
}

export type ToolEffect = 'read' | 'write' | 'destructive' | 'unknown'

export interface Tool {
  /** Slug of the module. */
  readonly module: string
  readonly name: string
  readonly title: string
  readonly description: string
  /** Shown beside its title, never in place of anything that Reeve says; not part of what is agreed to. */
  readonly icons?: Icons
  readonly input_schema: Record<string, unknown>
  /** Name of the argument that says what a call is about (a property of `input_schema`), if the tool names it. */
  readonly main_argument: string | null
  readonly effect: ToolEffect
  /** Ships with Reeve, so its claims about its own effects are trusted. */
  readonly builtin: boolean
  /** What its module can reach: what belongs to the caller, or the machine. */
  readonly reach: Reach
  readonly module_version: string
  /** Its definition is the one an administrator agreed to. Otherwise no rule makes it weaker than `ask`. */
  readonly agreed: boolean
  /** Hash of name, description, schemas and annotations: an approval applies to exactly this definition. */
  readonly definition_hash: string
  /**
   * Tools of the same module, by name: what a call would change, for the card; whether it took, afterwards; and what
   * takes one of its changes back, which is a call like any other, with `{change: <change_id>}`.
   */
  readonly preview?: string
  readonly verify?: string
  readonly undo?: string
  /** Without a preview a call that asks is refused: nobody is to approve what was not shown. Claimed by built-in tools only. */
  readonly preview_required?: true
  /** What it does has an id on the machine, which tells later how it ended; claimed by built-in tools only. */
  readonly operation?: true
  /** Only ever called as the preview or verification of another tool: no model is offered it. */
  readonly hidden?: true
  /** It opens paths as they really are and refuses links; claimed by built-in tools only. */
  readonly real_paths: boolean
  /**
   * The arguments as they are checked, judged, hashed, shown, stored and sent: with the schema's defaults, unless it would
   * not fit then, and as JSON has them. `input` is left as it is.
   */
  readonly fill: (input: Record<string, unknown>) => Record<string, unknown>
  /** The same without the argument that names machines, which the server adds; only where it has added it. */
  readonly bare?: Tool
  /** One sentence for the approval card about what a call with these arguments will do; in English by default. */
  summarize(input: Record<string, unknown>, wording?: Wording): string
  /** A sentence of the module's own about it, which may say anything; only of modules that do not ship with Reeve. */
  claim?(input: Record<string, unknown>, wording?: Wording): string
  /** Null when `input` fits `input_schema`, else a sentence that names what is wrong. */
  check(input: Record<string, unknown>): string | null
}

/** Whether its calls are about a machine, which they may name. */
export function worksOnMachines({ module, builtin }: Pick<Tool, 'module' | 'builtin'>): boolean {
  return builtin && module === MACHINE_MODULE
}

export interface ToolRequest {
  readonly tool_call_id: string
  readonly module: string
  readonly tool: string
  readonly input: Record<string, unknown>
  /** Hash of the definition that was allowed or approved; if the tool's definition has changed since, it is not run. */
  readonly definition_hash?: string
  readonly user_id: string
  readonly run_id: string
  readonly conversation_id: string
  /** The machine that it is about; the one that Reeve runs on unless given. */
  readonly host_id?: string
  readonly about?: CallAbout
  /** Shows a question of the module to the person who owns the run, and waits. Never rejects. */
  ask(question: ToolQuestion, signal: AbortSignal): Promise<ToolAnswer>
}

/** What a tool is told besides its arguments. */
export interface CallAbout {
  /** To the call itself: the state that its approved preview saw. It refuses when that is not the state any more. */
  readonly state?: string
  /** To a verification: what the call has changed. */
  readonly changes?: readonly Pick<ToolChange, 'target' | 'after_hash'>[]
  /** To a tool that takes a change back, and to its preview: with the call that made it. `before` is base64; null: there was nothing. */
  readonly change?: {
    readonly tool_call_id: string
    readonly target: string
    readonly name: string
    readonly before: string | null
    readonly before_hash: string | null
    readonly after_hash: string | null
  }
}

/** What a call would do: parts to be shown, and the state they hold for; without one, the parts are the state. */
export interface ToolPreview {
  readonly state?: string | undefined
  readonly parts: readonly { readonly kind: PreviewKind; readonly title: string; readonly text: string }[]
}

/** What was found after a call. */
export interface ToolVerified {
  readonly ok: boolean
  readonly expected: string
  readonly found: string
}

/** One thing that a call has changed. */
export interface ToolChange {
  readonly target: string
  readonly name: string
  /** SHA-256 in hexadecimal; null: there is nothing. */
  readonly before_hash: string | null
  readonly after_hash: string | null
  /** Base64; null where there is nothing, or it is not kept. */
  readonly before: string | null
  readonly after: string | null
}

/** Bytes of each side of a change that are kept; of more, only the hash is, and it cannot be taken back. */
export const CHANGE_BYTES = 1024 * 1024

/**
 * A question a module asks in the middle of a call (MCP elicitation): for a few values, or to open an address. Never
 * for a secret.
 */
export type ToolQuestion =
  | { readonly kind: 'form'; readonly message: string; readonly schema: Record<string, unknown> }
  | { readonly kind: 'url'; readonly message: string; readonly url: string }
export type ToolAnswer =
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: 'decline' | 'cancel' }

export interface ToolResult {
  readonly status: 'done' | 'failed' | 'cancelled' | 'unknown'
  /**
   * What the model reads: plain text, at most RESULT_TEXT_LIMIT characters, with a last line saying so when it was cut.
   */
  readonly text: string
  readonly tables: readonly Table[]
  /** Pictures, sound and files made by the tool; they become generated files of the run. */
  readonly files: readonly ToolFile[]
  /** How the program ended that the tool ran, if it ran one and says so. */
  readonly exit_code?: number | undefined
  /** What a preview, a verification, or a call that can be taken back says besides; undefined when it says nothing. */
  readonly preview?: ToolPreview | undefined
  readonly verified?: ToolVerified | undefined
  readonly changes?: readonly ToolChange[] | undefined
  /** Set when it was told to stop and did not confirm in time: what is done about its module. */
  readonly ignored?: IgnoredStop
}

/**
 * `restarts_when_idle`: as soon as other calls of the module have ended. `goes_on`: the module is part of the service.
 */
export type IgnoredStop = 'restarted' | 'restarts_when_idle' | 'goes_on'

export interface ToolFile {
  /** A label, never a path. */
  readonly name: string
  readonly media_type: string
  readonly data: Uint8Array
}

/** Files of one result, and their total size in bytes. */
export const RESULT_FILE_LIMIT = 20
export const RESULT_FILE_BYTES = 16 * 1024 * 1024

export const RESULT_TEXT_LIMIT = 48_000
/** Rows and cells of a table part beyond these are cut; `total_rows` says how many there were. */
export const TABLE_ROW_LIMIT = 1000
