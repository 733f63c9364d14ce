import type { SettingField, SettingValue } from '../../../../contract/modules.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { readHeaders } from '../../spec/own-headers.ts'
import { ONLY_PROTECTED, unprotected } from '../../spec/unprotected.ts'
import type { ModuleRecord } from '../store/module-record.ts'

/** The keys of the settings of a remote module, which are our own. */
export const TOKEN = 'token'
export const HEADERS = 'headers'
export const SIGN_IN = 'sign_in'
export const CLIENT_ID = 'client_id'
export const CLIENT_SECRET = 'client_secret'

interface RemoteField {
  readonly key: string
  readonly title: Sentence
  readonly description: Sentence
  readonly sensitive: boolean
  readonly multiline?: boolean
  readonly options?: readonly { readonly value: string; readonly label: Sentence }[]
}

const FIELDS: readonly RemoteField[] = [
  {
    key: TOKEN,
    title: say`Access token`,
    description: say`Sent to the server as Authorization: Bearer.`,
    sensitive: true,
  },
  {
    key: HEADERS,
    title: say`Headers`,
    description: say`Sent to the server with each request, one in a line: “Name: value”. They go to no other address.`,
    sensitive: true,
    multiline: true,
  },
  {
    key: SIGN_IN,
    title: say`Sign-in by OAuth`,
    description: say`Instead of a token. After saving, connect the server on this page.`,
    sensitive: false,
    options: [
      { value: 'shared', label: say`One connection for everybody` },
      { value: 'person', label: say`Each person connects with an account of their own` },
    ],
  },
  {
    key: CLIENT_ID,
    title: say`Client ID`,
    description: say`Only for an authorization server at which Reeve cannot register itself.`,
    sensitive: false,
  },
  {
    key: CLIENT_SECRET,
    title: say`Client secret`,
    description: say`If it gave one with the client ID.`,
    sensitive: true,
  },
]

/** The settings of a remote module, in the order of its form. */
export function remoteFields(language: string): SettingField[] {
  return FIELDS.map(({ key, title, description, sensitive, multiline = false, options }) => ({
    key,
    type: 'string',
    title: title.in(language),
    description: description.in(language),
    required: false,
    sensitive,
    multiple: false,
    multiline,
    ...(options && { enum: options.map(({ value, label }) => ({ value, label: label.in(language) })) }),
  }))
}

/** What is wrong with new values besides their form, by key. */
export function remoteProblems(
  url: string | null,
  allow_private: boolean,
  values: Readonly<Record<string, SettingValue>>,
): { key: string; message: Sentence }[] {
  const problems: { key: string; message: Sentence }[] = []
  const headers = values[HEADERS] === undefined ? null : readHeaders(String(values[HEADERS]))
  if (headers !== null && !(headers instanceof Map)) problems.push({ key: HEADERS, message: headers as Sentence })
  for (const key of [TOKEN, HEADERS, SIGN_IN])
    if (values[key] !== undefined && unprotected(url, allow_private)) problems.push({ key, message: ONLY_PROTECTED })
  return problems
}

/** The values to mask: of headers each value by itself, because that is what a server repeats. */
export function remoteSecrets(opened: Readonly<Record<string, string>>): string[] {
  return [...Object.values(opened), ...headersIn(opened).values()]
}

/** The headers among opened secrets; none if they cannot be read, which saving them prevents. */
export function headersIn(opened: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const headers = readHeaders(opened[HEADERS] ?? '')
  return headers instanceof Map ? headers : new Map()
}

/** Who connects the module by OAuth; null: it is reached with a token, or without any. */
export function signInOf({ kind, settings }: Pick<ModuleRecord, 'kind' | 'settings'>): 'shared' | 'person' | null {
  const mode = kind === 'remote' ? settings[SIGN_IN] : undefined
  return mode === 'shared' || mode === 'person' ? mode : null
}
