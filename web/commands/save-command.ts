import type { Command } from '../../contract/commands.ts'
import { call } from '../api.ts'
import { queryClient } from '../query-client.ts'

export type CommandFields = Pick<Command, 'name' | 'prompt' | 'run_mode' | 'folder_id'>

/** Makes a command, or changes what differs. Throws why it was refused. */
export async function saveCommand(command: Command | null, fields: CommandFields): Promise<void> {
  const { folder_id, ...content } = fields
  try {
    if (command === null) {
      await call('POST /api/quick-commands', { body: fields })
      return
    }
    const params = { command_id: command.command_id }
    const { name, prompt, run_mode } = content
    if (name !== command.name || prompt !== command.prompt || run_mode !== command.run_mode)
      await call('PATCH /api/quick-commands/{command_id}', { params, body: content })
    if (folder_id !== command.folder_id)
      await call('PATCH /api/quick-commands/{command_id}/folder', { params, body: { folder_id } })
  } finally {
    await queryClient.invalidateQueries({ queryKey: ['commands'] })
  }
}
