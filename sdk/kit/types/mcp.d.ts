/** Types of lib/mcp.js. */
export interface Column {
  key: string
  label: string
  type: 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'datetime' | 'bytes' | 'percent' | 'duration'
}
export interface Table {
  title: string
  columns: Column[]
  rows: Record<string, string | number | boolean | null>[]
  /** Total number of rows, when `rows` contains only the first. */
  total_rows?: number
  /** The person sees the rows as this chart first. `x` and `y` are keys of columns; at most 6 in `y`. */
  chart?: { kind: 'line' | 'bar' | 'area' | 'scatter' | 'pie'; x: string; y: string[] }
}
export type Content =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string; text?: string; blob?: string } }
export interface Result {
  content?: Content[]
  structuredContent?: { tables: Table[] } | Record<string, unknown>
  isError?: boolean
}
export interface Context {
  /** Aborted when the person stops the run or the deadline passes. */
  readonly signal: AbortSignal
  /** Shown while the tool runs. */
  progress(message: string): void
  /** Asks the person for a few values by a flat JSON Schema; null when they decline. Never for a secret. */
  ask(
    message: string,
    properties: Record<string, object>,
    required?: string[],
  ): Promise<Record<string, string | number | boolean | string[]> | null>
}
/** A picture as a `data:` address: PNG, JPEG, WebP or GIF. Others, and addresses of other servers, are not shown. */
export interface Icon {
  src: `data:image/${string};base64,${string}`
  mimeType?: string
  sizes?: string[]
  theme?: 'light' | 'dark'
}
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; properties: Record<string, object>; required?: string[]; additionalProperties: false }
  outputSchema?: object
  icons?: Icon[]
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint: boolean }
  _meta?: {
    'dev.reeve': {
      summary?: string
      main_argument?: string
      deadline_ms?: number
      preview?: string
      verify?: string
      undo?: string
    }
  }
  run(input: Record<string, unknown>, context: Context): string | Result | Promise<string | Result>
}
export interface Prompt {
  name: string
  title?: string
  description?: string
  arguments?: {
    name: string
    description?: string
    required?: boolean
    /** Suggestions while the person types; `given` are the arguments that are filled in already. */
    complete?(value: string, given: Record<string, string>): string[] | Promise<string[]>
  }[]
  text(input: Record<string, string>): string
}
/** Something to read that the person can attach to a message: one, or all whose address fits a template such as `log://{day}`. */
export type Resource = ({ uri: string } | { uriTemplate: string }) & {
  name: string
  title?: string
  description?: string
  mimeType?: string
  read(values: Record<string, string>): string | Uint8Array | Promise<string | Uint8Array>
}
export class ToolError extends Error {}
export function serve(server: {
  name: string
  version: string
  tools?: Tool[]
  prompts?: Prompt[]
  resources?: Resource[]
  instructions?: string
  /** Of the module, and of its tools that have none of their own. */
  icons?: Icon[]
}): void
