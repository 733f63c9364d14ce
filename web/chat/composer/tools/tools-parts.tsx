export { SlashListbox } from './slash-listbox.tsx'
export { ToolForm } from './tool-form.tsx'
export { ToolHint } from './tool-hint.tsx'
