import { SlashListbox } from './slash-listbox.tsx'
import { suggest, withHost } from './slash-suggestions.ts'
import { ToolForm } from './tool-form.tsx'
import { ToolHint } from './tool-hint.tsx'

/** What the message box shows of tools, as one chunk: what several would share would be loaded with the page. */
export const toolParts = { SlashListbox, suggest, withHost, ToolForm, ToolHint }
