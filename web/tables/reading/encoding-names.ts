import type { TextEncodingName } from '../../../contract/text-encodings.ts'
import { currentLanguage } from '../../text/i18n.ts'

/** Languages or scripts (four letters) that an encoding was made for; Unicode is for all. */
const FOR: Partial<Record<TextEncodingName, readonly string[]>> = {
  'windows-1250': ['pl', 'cs', 'hu'],
  'windows-1251': ['Cyrl'],
  'windows-1252': ['en', 'fr', 'de'],
  'windows-1253': ['el'],
  'windows-1254': ['tr'],
  'windows-1255': ['he'],
  'windows-1256': ['ar'],
  'windows-1257': ['lt', 'lv', 'et'],
  'windows-1258': ['vi'],
  'windows-874': ['th'],
  'iso-8859-2': ['pl', 'cs', 'hu'],
  'iso-8859-5': ['Cyrl'],
  'iso-8859-15': ['en', 'fr', 'de'],
  'koi8-r': ['ru'],
  'koi8-u': ['uk'],
  ibm866: ['Cyrl'],
  macintosh: ['en', 'fr', 'de'],
  'x-mac-cyrillic': ['Cyrl'],
  shift_jis: ['ja'],
  'euc-jp': ['ja'],
  'iso-2022-jp': ['ja'],
  gb18030: ['Hans'],
  big5: ['Hant'],
  'euc-kr': ['ko'],
}
const LABEL: Partial<Record<TextEncodingName, string>> = {
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  ibm866: 'CP 866',
  macintosh: 'Mac Roman',
  'x-mac-cyrillic': 'Mac Cyrillic',
  shift_jis: 'Shift_JIS',
  gb18030: 'GB 18030 / GBK',
}

/** An encoding's common name, with the languages it is for, in the page's language. */
export function encodingName(encoding: string): string {
  const name = encoding as TextEncodingName
  const label = LABEL[name] ?? (name.startsWith('windows') ? name : name.toUpperCase())
  const languages = FOR[name]?.map((code) => {
    const type = code.length === 4 ? 'script' : 'language'
    return new Intl.DisplayNames([currentLanguage()], { type }).of(code) ?? code
  })
  return languages === undefined ? label : `${label} (${languages.join(', ')})`
}
