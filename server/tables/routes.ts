import type { Handlers } from '../../contract/route.ts'
import { LABEL_KEY_LENGTH, LABEL_KEYS_LIMIT, type tables as contract } from '../../contract/tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { exportedFrom, presentationOf } from './export-request.ts'
import { exportTable } from './export-table.ts'
import type { TableLabels } from './labels/table-labels.ts'
import { readChartRequest, readView } from './query/read-view.ts'
import { pageShower, type PageOptions } from './show-page.ts'
import type { TableFiles } from './table-files.ts'
import { refusing } from './table-refusal.ts'

export interface TableRoutesOptions extends PageOptions {
  readonly files: TableFiles
  readonly labels: TableLabels
}

/** The handlers of the table routes: pages, exports, and labels for columns. */
export function tableRoutes(options: TableRoutesOptions): Handlers<typeof contract> {
  const { tables, files, labels } = options
  const showPage = pageShower(options)
  return {
    table: ({ params, query, caller, signal }) => refusing(() => showPage(caller, params.file_id, query, signal)),
    chart: async ({ params: { file_id }, query, caller, signal }) => {
      const request = {
        sheet: query.sheet || undefined,
        view: readView(query.view),
        language: caller.language,
        chart: readChartRequest(query.chart),
      }
      const source = await files.source(caller.user_id, file_id)
      return await refusing(() => tables.chart(source, request, signal))
    },
    reading: async ({ params: { file_id }, query, caller, signal }) => {
      const source = await files.source(caller.user_id, file_id)
      const found = await refusing(() => tables.reading(source, query.sheet || undefined, signal))
      return { file_id, chosen: source.reading ?? {}, ...found }
    },
    setReading: async ({ params: { file_id }, body: reading, caller, signal }) => {
      const source = await files.source(caller.user_id, file_id)
      // A reading that doesn't work is refused, and nothing changes.
      for (const sheet of [undefined, ...Object.keys(reading.sheets ?? {}).slice(0, 1)])
        await refusing(() => tables.reading({ ...source, reading }, sheet, signal))
      await files.setReading(caller.user_id, file_id, reading)
      return { ok: true as const, file_id }
    },
    export: async ({ body, caller, signal }) => {
      const from = await exportedFrom(body, caller.user_id, files)
      const how = {
        title: body.title?.trim() || null,
        presentation: presentationOf(body),
        by: caller.display_name || caller.username,
        at: new Date(),
        format: body.format ?? 'xlsx',
        language: caller.language,
      }
      const { name, media_type, bytes } = await refusing(() => exportTable(tables, from, how, signal))
      return { name, media_type, size: null, stream: bytes }
    },
    labels: async ({ body, caller }) => {
      checkKeys(body.keys)
      const wanted = { keys: body.keys, title: body.title?.trim() ?? '', question: body.question?.trim() ?? '' }
      const found = await labels.label(caller, wanted)
      return { columns: Object.fromEntries(found.labels), ai_generated: found.ai_generated }
    },
  }
}

function checkKeys(keys: readonly string[]): void {
  if (keys.length === 0) throw new AppError('bad_keys', say`Name at least one column in "keys".`)
  if (keys.length > LABEL_KEYS_LIMIT)
    throw new AppError(
      'bad_keys',
      say`At most ${LABEL_KEYS_LIMIT} columns can be named at a time; there are ${keys.length}.`,
    )
  const long = keys.find((key) => key.length === 0 || key.length > LABEL_KEY_LENGTH)
  if (long !== undefined)
    throw new AppError(
      'bad_keys',
      say`The key of a column has 1 to ${LABEL_KEY_LENGTH} characters; one has ${long.length}.`,
    )
}
