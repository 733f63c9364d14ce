import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const PRESENT = 0x01
const VERIFIED = 0x04
const BACKED_UP = 0x18
const WITH_KEY = 0x40

/** What a test lets go wrong. */
export interface Slip {
  readonly origin?: string
  readonly rp_id?: string
  readonly challenge?: string
  /** It asked for neither PIN nor finger. */
  readonly unverified?: boolean
  readonly counter?: number
  readonly user_id?: string
}
interface Options {
  readonly challenge: string
}

/** A key in somebody's hand, as a browser presents it: WebAuthn with ES256, without attestation. */
export class Authenticator {
  readonly #origin: string
  readonly #rpId: string
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly id: string = randomBytes(24).toString('base64url')
  /** Zero for ever, as those that are copied between devices have it, unless a test counts. */
  counter = 0

  constructor(origin: string) {
    this.#origin = origin
    this.#rpId = new URL(origin).hostname
  }

  /** Answers `navigator.credentials.create`. */
  register({ challenge }: Options, slip: Slip = {}) {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ])
    const id = bytes(this.id)
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, isoCBOR.encode(key)])
    const authData = Buffer.concat([this.#authData(slip, WITH_KEY), attested])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', challenge, slip).toString('base64url'),
      attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
      transports: ['internal'],
    })
  }

  /** Answers `navigator.credentials.get`, as the user of `user_id`. */
  signIn({ challenge }: Options, user_id: string, slip: Slip = {}) {
    const authData = this.#authData(slip, 0)
    const clientData = this.#clientData('webauthn.get', challenge, slip)
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()])
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: Buffer.from(slip.user_id ?? user_id).toString('base64url'),
    })
  }

  #credential<R extends { clientDataJSON: string }>(response: R) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #clientData(type: string, challenge: string, slip: Slip): Buffer {
    const data = {
      type,
      challenge: slip.challenge ?? challenge,
      origin: slip.origin ?? this.#origin,
      crossOrigin: false,
    }
    return Buffer.from(JSON.stringify(data))
  }

  #authData({ rp_id = this.#rpId, unverified = false, counter = this.counter }: Slip, more: number): Buffer {
    const flags = PRESENT | BACKED_UP | (unverified ? 0 : VERIFIED) | more
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([createHash('sha256').update(rp_id).digest(), Buffer.from([flags]), count])
  }
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, 'base64url'))
}
