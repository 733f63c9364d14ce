import { useState, type FormEvent, type ReactNode } from 'react'
import { TEXT_ENCODINGS } from '../../../contract/text-encodings.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { encodingName } from './encoding-names.ts'
import type { Reading } from './reading-query.ts'
import { ReadingTypes } from './reading-types.tsx'

interface ReadingFormProps {
  readonly reading: Reading
  readonly busy: boolean
  /** Why the last choice was refused. */
  readonly failure: ReactNode
  onSave(chosen: Reading['chosen']): void
  onClose(): void
}

const FOUND = ''
const DELIMITERS = [',', ';', '\t', '|', ':', ' ']
const HEADER_ROWS = 20

/** Options for how a sheet is read; the first entry of each list is automatic detection. */
export function ReadingForm({ reading, busy, failure, onSave, onClose }: ReadingFormProps) {
  const { chosen, sheet } = reading
  const ofSheet = chosen.sheets?.[sheet] ?? {}
  const [encoding, setEncoding] = useState<string>(chosen.encoding ?? FOUND)
  const [delimiter, setDelimiter] = useState(chosen.delimiter ?? FOUND)
  const [header, setHeader] = useState(ofSheet.header_row === undefined ? FOUND : String(ofSheet.header_row))
  const [types, setTypes] = useState(ofSheet.types ?? {})
  const nothing = Object.keys(chosen).length === 0

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    event.stopPropagation()
    const { [sheet]: _before, ...others } = chosen.sheets ?? {}
    const now = {
      ...(header === FOUND ? {} : { header_row: Number(header) }),
      ...(Object.keys(types).length === 0 ? {} : { types }),
    }
    const sheets = Object.keys(now).length === 0 ? others : { ...others, [sheet]: now }
    onSave({
      ...(encoding === FOUND ? {} : { encoding: encoding as NonNullable<typeof chosen.encoding> }),
      ...(delimiter === FOUND ? {} : { delimiter }),
      ...(Object.keys(sheets).length === 0 ? {} : { sheets }),
    })
  }
  /** The detected value, unless a choice hides it. */
  const found = (value: string, isChosen: boolean): string =>
    isChosen ? t('tables.reading_found') : t('tables.reading_found_as', { value })
  const rows = Array.from({ length: Math.max(HEADER_ROWS, Number(header)) }, (_, i) => String(i + 1))
  return (
    <form onSubmit={submit} className="space-y-4">
      {failure}
      {reading.encoding !== null && (
        <SelectField
          label={t('tables.reading_encoding')}
          value={encoding}
          onChange={setEncoding}
          hint={reading.encoding_guessed ? t('tables.reading_guess') : undefined}
          options={[
            { value: FOUND, label: found(encodingName(reading.encoding), chosen.encoding !== undefined) },
            ...TEXT_ENCODINGS.map((value) => ({ value, label: encodingName(value) })),
          ]}
        />
      )}
      {reading.delimiter !== null && (
        <SelectField
          label={t('tables.reading_delimiter')}
          value={delimiter}
          onChange={setDelimiter}
          options={[
            { value: FOUND, label: found(delimiterName(reading.delimiter), chosen.delimiter !== undefined) },
            ...[...new Set([...DELIMITERS, ...(delimiter === FOUND ? [] : [delimiter])])].map((value) => ({
              value,
              label: delimiterName(value),
            })),
          ]}
        />
      )}
      {reading.header_row !== null && (
        <SelectField
          label={t('tables.reading_header')}
          value={header}
          onChange={setHeader}
          options={[
            { value: FOUND, label: found(headerName(reading.header_row), ofSheet.header_row !== undefined) },
            { value: '0', label: headerName(0) },
            ...rows.map((value) => ({ value, label: headerName(Number(value)) })),
          ]}
        />
      )}
      <ReadingTypes columns={reading.columns} before={ofSheet.types ?? {}} types={types} onTypes={setTypes} />
      <div className="flex flex-wrap justify-end gap-2">
        {!nothing && (
          <Button variant="ghost" disabled={busy} onClick={() => onSave({})} className="me-auto">
            {t('tables.reading_reset')}
          </Button>
        )}
        <Button onClick={onClose}>{t('action.cancel')}</Button>
        <Button variant="primary" type="submit" busy={busy}>
          {t('tables.reading_apply')}
        </Button>
      </div>
    </form>
  )
}

function delimiterName(delimiter: string): string {
  switch (delimiter) {
    case ',':
      return t('tables.reading_comma')
    case ';':
      return t('tables.reading_semicolon')
    case '\t':
      return t('tables.reading_tab')
    case ' ':
      return t('tables.reading_blank')
    default:
      return delimiter
  }
}

function headerName(row: number): string {
  return row === 0 ? t('tables.reading_no_header') : t('tables.reading_row', { row })
}
