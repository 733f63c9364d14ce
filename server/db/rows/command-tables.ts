export interface CommandTable {
  command_id: string
  user_id: string
  folder_id: string | null
  name: string
  name_folded: string
  /** The beginning of `name_folded`, short enough for a cursor: lists are ordered by it, then by id. */
  name_sort: string
  prompt: string
  prompt_folded: string
  run_mode: 'insert' | 'send' | 'new'
  created_at: number
  updated_at: number
}
export interface CommandFolderTable {
  folder_id: string
  user_id: string
  name: string
  name_folded: string
  created_at: number
}
