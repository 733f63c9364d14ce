import type { Command, CommandFolder } from '../../contract/commands.ts'
import { call } from '../client/api.ts'
import { explainError } from '../client/explain-error.ts'
import { t } from '../text/i18n.ts'
import { toast } from '../parts/feedback/toast.tsx'
import { queryClient } from '../client/query-client.ts'
import { moveValues } from './last-values.ts'

/** Actions on a command or folder of the list. Each reports failure in a toast and resolves to whether it succeeded. */
export const commandActions = {
  file: (command_id: string, folder_id: string | null) =>
    attempt(() =>
      call('PATCH /api/quick-commands/{command_id}/folder', { params: { command_id }, body: { folder_id } }),
    ),

  /** Deletes and offers undo. A restored command is a new one with the content of the old one. */
  async remove(command: Command): Promise<void> {
    const { command_id, name } = command
    if (!(await attempt(() => call('DELETE /api/quick-commands/{command_id}', { params: { command_id } })))) return
    const undo = (): Promise<boolean> =>
      attempt(async () => {
        const { item } = await call('POST /api/quick-commands', { body: contentOf(command) })
        moveValues(command_id, item.command_id)
      })
    toast({ text: t('commands.deleted', { name }), action: { label: t('action.undo'), onAction: () => void undo() } })
  },

  /** Deletes a folder, keeps its commands, and offers undo. */
  async removeFolder({ folder_id, name }: CommandFolder, members: readonly Command[]): Promise<void> {
    if (!(await attempt(() => call('DELETE /api/quick-command-folders/{folder_id}', { params: { folder_id } })))) return
    const undo = (): Promise<boolean> =>
      attempt(async () => {
        const { folder } = await call('POST /api/quick-command-folders', { body: { name } })
        for (const { command_id } of members) {
          const body = { folder_id: folder.folder_id }
          await call('PATCH /api/quick-commands/{command_id}/folder', { params: { command_id }, body })
        }
      })
    toast({
      text: t('commands.folder_deleted', { name, count: members.length }),
      action: { label: t('action.undo'), onAction: () => void undo() },
    })
  },
}

function contentOf({ name, prompt, run_mode, folder_id }: Command) {
  return { name, prompt, run_mode, folder_id }
}

async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
    return false
  } finally {
    await queryClient.invalidateQueries({ queryKey: ['commands'] })
  }
}
