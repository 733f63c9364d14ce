import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeText } from '../server/files/decode-text.ts'
import { legacyBytes } from './stage/documents/legacy-bytes.ts'
import { cells, openTablesStage, source, type TablesStage } from './stage/documents/tables-stage.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const RUSSIAN = 'товар;склад\nГайка М6;Москва\nБолт М8;Тверь\nШайба;Ёлки\n'

describe('text from before UTF-8 is read as what it is, and says that this is a guess', () => {
  test.each([
    ['windows-1251', RUSSIAN],
    ['koi8-r', RUSSIAN],
    ['ibm866', RUSSIAN],
    ['koi8-u', 'назва;місто\nЇжак;Київ\nЄвген;Харків\nПетро;Львів\n'],
    ['shift_jis', '名前;都市\n山田太郎;東京\nスズキ花子;大阪\nたなか;さっぽろ\n'],
    ['euc-jp', '商品;価格\nりんご;百円\nバナナ;二百円\nみかん;安い\n'],
    ['gb18030', '编号;产品名称\n一;苹果\n二;香蕉\n三;新鲜葡萄\n'],
    ['big5', '編號;產品名稱\n一;蘋果\n二;香蕉\n三;新鮮葡萄\n'],
    ['euc-kr', '이름;도시\n홍길동;서울\n김철수;부산\n이영희;대구\n'],
    ['windows-1250', 'imię;miasto\nŁukasz;Łódź\nGrażyna;Gdańsk\nŻaneta;Częstochowa\n'],
    ['windows-1253', 'όνομα;πόλη\nΓιώργος Παπαδόπουλος;Αθήνα\nΜαρία;Θεσσαλονίκη\n'],
    ['windows-1254', 'isim;şehir\nAyşe Yılmaz;İstanbul\nÖğüt Şahin;Diyarbakır\nÇağla;Eskişehir\n'],
    ['windows-1255', 'שם;עיר\nדוד כהן;ירושלים\nשרה לוי;תל אביב\n'],
    ['windows-1252', 'Prénom;Ville\nZoë;Málaga\nFrançois;Besançon\nHélène;Orléans\n'],
  ])('%s', async (encoding, text) => {
    const [header, ...rows] = text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(';'))
    const bytes = legacyBytes(encoding, text)
    const file = source('t.csv', bytes)
    const page = await stage.read(file)
    expect(page.columns.map(({ label }) => label)).toEqual(header)
    expect(cells(page)).toEqual(rows)
    expect(page.notices.join()).toMatch(/does not say which encoding.*a guess/)
    // The same as an attachment.
    expect(await decodeText(bytes, false)).toMatchObject({ text, guessed: true })
  })

  test('a few letters among many digits are enough', async () => {
    const digits = '1,2,3,4,5,6,7,8\n'.repeat(100_000)
    const text = `a,b,c,d,e,f,g,h\n${digits}1,2,3,4,5,6,7,東京都\n1,2,3,4,5,6,7,みなとく\n`
    expect((await stage.tables.describe(source('t.csv', legacyBytes('shift_jis', text)))).encoding).toBe('shift_jis')
  })
})

describe('one stray byte', () => {
  const stray = Buffer.from([0xe9])

  test('in plain text is a letter of its own, with a notice', async () => {
    const page = await stage.read(
      source('t.csv', Buffer.concat([Buffer.from('name,n\ncaf'), stray, Buffer.from(',1\nb,2\n')])),
    )
    expect(cells(page)).toEqual([
      ['café', 1],
      ['b', 2],
    ])
    expect(page.notices.join()).toContain('read as windows-1252')
  })

  test('far behind the last letter of UTF-8 leaves it UTF-8', async () => {
    const text = `город,n\n${'Москва,1\n'.repeat(10)}${'plain,2\n'.repeat(300_000)}`
    const file = source('t.csv', Buffer.concat([Buffer.from(text), Buffer.from('caf'), stray, Buffer.from(',3\n')]))
    const page = await stage.tables.page(file, { page: 1, page_size: 1 })
    expect(page.rows).toEqual([{ город: 'Москва', n: 1 }])
    expect(page.notices.join()).toContain('not valid UTF-8 and show as \uFFFD: 1.')
  })

  test('before the first letter of UTF-8, too', async () => {
    const file = source(
      't.csv',
      Buffer.concat([Buffer.from('n,город\n1,caf'), stray, Buffer.from(`\n${'2,Москва\n'.repeat(5)}`)]),
    )
    expect((await stage.tables.describe(file)).encoding).toBe('utf-8')
  })
})
