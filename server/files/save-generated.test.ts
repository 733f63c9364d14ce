import { expect, test } from 'vitest'
import { generatedName } from './save-generated.ts'

test.each([
  ['map.png', 'image/png', 'map.png'],
  ['chart', 'image/png', 'chart.png'],
  ['../../etc/passwd', 'text/plain', '.._.._etc_passwd.txt'],
  ['a\u202egnp.exe', 'image/png', 'a_gnp.exe'],
  ['', 'image/jpeg; q=1', 'file.jpg'],
  ['...', 'audio/wav', 'file.wav'],
  ['C:\\x\\y.TXT', 'text/plain', 'C:_x_y.txt'],
  ['a\0b\ud800.png', 'image/png', 'a_b\ufffd.png'],
  ['Übersicht', 'application/x-unknown', 'Übersicht'],
  ['n'.repeat(400), 'image/png', `${'n'.repeat(235)}.png`],
])('%j of type %s becomes %j', (given, type, name) => expect(generatedName(given, type)).toBe(name))
