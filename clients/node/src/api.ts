/**
 * What the interface takes and answers, made from its OpenAPI document by test/unit/http/client-types.test.ts. Not edited
 * by hand: GOLDEN=write npx vitest run test/unit/http/client-types.test.ts
 */

/* oxlint-disable eslint/max-lines, typescript/no-redundant-type-constituents -- as the document has it */

/**
 * What each operation takes and answers, by its name.
 */
export interface Operations {
  /**
   * Log in with pass phrase, application key and second factor, or as a service account. Anyone may call this.
   *
   * `CALLINFO.token` is the session token: send it in the header `X-Http-Token` of every later call, and take the token of each answer for the next one.
   *
   * Pages of the appliance itself send `session` `cookie`, with `X-Strongroom-Console: 1`: then the token is only in the cookie `__Host-strongroom`, which scripts cannot read.
   */
  'auth.login': {
    body: {
      /**
       * Login name; every login of a person has it.
       */
      username?: string
      /**
       * Pass phrase, application key and one-time password in this order, with nothing between them.
       */
      keys?: string
      /**
       * Pass phrase of the user.
       */
      passphrase?: string
      /**
       * The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a hardware token types. Each is good once.
       */
      otp?: string
      /**
       * The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it.
       */
      passkey?: {
        /**
         * Id of the credential. Base64url.
         */
        id: string
        /**
         * What the authenticator answered.
         */
        response: {
          /**
           * What the browser composed. Base64url.
           */
          clientDataJSON: string
          /**
           * What the authenticator composed. Base64url.
           */
          authenticatorData: string
          /**
           * Over both. Base64url.
           */
          signature: string
        }
      }
      /**
       * Application key: an administrator of the appliance makes one for each application.
       */
      apikey?: string
      /**
       * Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`, and `smc_rest` is `smartcard`, which takes the client certificate of the TLS connection in place of `otp`; `webauthn` takes `passkey`. Service accounts: `service_certificate` with the client certificate of the TLS connection, `service_jwt` and `service_federated` with `assertion`, `service_static` with `key`.
       */
      logintype?:
        | 'totp'
        | 'hwkey_otp'
        | 'yubikey_otp'
        | 'smartcard'
        | 'smc_rest'
        | 'webauthn'
        | 'service_certificate'
        | 'service_jwt'
        | 'service_federated'
        | 'service_static'
      /**
       * Name of the service account.
       */
      account?: string
      /**
       * JWT in the compact form: signed by the key of the account (`service_jwt`), or by an issuer (`service_federated`).
       */
      assertion?: string
      /**
       * Static key of a service account (`service_static`).
       */
      key?: string
      /**
       * Where the token goes: into `CALLINFO`, or, only for pages of the appliance, into a cookie.
       */
      session?: 'token' | 'cookie'
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Fingerprint of the public key of the user: 40 hexadecimal digits.
         */
        fingerprint: string
        /**
         * Id of the user. Decimal digits.
         */
        userid: string
        /**
         * Always empty.
         */
        password: ''
        /**
         * Capabilities of the user. A bitmap as decimal text, whose bits `GET /utils/statusvalues` names.
         */
        userstatus: string
        /**
         * Login name of the user.
         */
        username: string
        /**
         * Full name of the user.
         */
        fullname: string
        /**
         * Milliseconds without a call after which the session ends; of a service account until it ends.
         */
        timeout: number
        /**
         * Kinds of files that objects can hold: a fixed number, which published clients read.
         */
        filesupport: number
        /**
         * Release whose form the answers have; a setting of the application key.
         */
        version: '2.1.0' | '2.0.5'
        /**
         * Of a service account: when its session ends, and it logs in again. UTC.
         */
        expires?: string
        /**
         * What the user should know.
         */
        audit: {
          /**
           * Rules of this site that the user breaks now.
           */
          violations:
            | string[]
            | {
                [k: string]: string
              }
          /**
           * Rules that the user will soon break, and unusual events.
           */
          warnings:
            | string[]
            | {
                [k: string]: string
              }
        }
      }
    }
  }
  /**
   * Log out. Needs a session.
   *
   * The session and all its tokens end at once. A browser whose session is in a cookie is told to forget it, with all that it kept of this address.
   */
  'auth.logout': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * A word of goodbye.
         */
        logout: string
      }
    }
  }
  /**
   * Check the session token and refresh its time-out. Needs a session.
   *
   * Send it more often than the time-out of the login says to keep a session that does nothing else. The token may be replaced, as by every call.
   */
  'auth.check': {
    answer: Envelope
  }
  /**
   * Check the session token and refresh its time-out. Needs a session.
   *
   * Send it more often than the time-out of the login says to keep a session that does nothing else. The token may be replaced, as by every call.
   */
  'auth.check.get': {
    answer: Envelope
  }
  /**
   * List the enabled login types. Anyone may call this.
   */
  'authinfo.logintypes': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * One list of the login types: `totp` an authenticator app, `hwkey_otp` a hardware token or HOTP, `smartcard` a TLS client certificate, `webauthn` a passkey.
         *
         * @minItems 1
         * @maxItems 1
         */
        enabled_login_types: ('totp' | 'hwkey_otp' | 'smartcard' | 'webauthn')[][]
      }
    }
  }
  /**
   * List the open sessions of a user. Needs a session. The user needs the capability admin, for other users than oneself.
   */
  'user.sessions': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The open sessions, the newest first.
         */
        sessions: Session[]
      }
    }
  }
  /**
   * End all sessions of a user. Needs a session. The user needs the capability admin, for other users than oneself.
   *
   * The session of the call itself is among them where the user ends their own.
   */
  'user.sessions.end': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Sessions that have ended.
         */
        ended: number
      }
    }
  }
  /**
   * End one session of a user. Needs a session. The user needs the capability admin, for other users than oneself.
   */
  'user.session.end': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
      /**
       * Id of the session, as `GET /user/{userid}/sessions` lists it. Decimal digits.
       */
      sessionid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Change your own pass phrase. Needs a session.
   *
   * Besides the present pass phrase it takes a fresh second factor. All other sessions of the user end.
   */
  'auth.passphrase': {
    body: {
      /**
       * The present pass phrase.
       */
      passphrase: string
      /**
       * The pass phrase from now on. It must not be one that is easily guessed.
       */
      newpassphrase: string
      /**
       * The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a hardware token types. Each is good once.
       */
      otp?: string
      /**
       * The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it.
       */
      passkey?: {
        /**
         * Id of the credential. Base64url.
         */
        id: string
        /**
         * What the authenticator answered.
         */
        response: {
          /**
           * What the browser composed. Base64url.
           */
          clientDataJSON: string
          /**
           * What the authenticator composed. Base64url.
           */
          authenticatorData: string
          /**
           * Over both. Base64url.
           */
          signature: string
        }
      }
      /**
       * Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`, and `smc_rest` is `smartcard`, which takes the client certificate of the TLS connection in place of `otp`; `webauthn` takes `passkey`.
       */
      logintype?: 'totp' | 'hwkey_otp' | 'yubikey_otp' | 'smartcard' | 'smc_rest' | 'webauthn'
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Capabilities of the user. A bitmap as decimal text, whose bits `GET /utils/statusvalues` names.
         */
        userstatus: string
        /**
         * Other sessions of the user, which have ended.
         */
        ended: number
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Give a user another pass phrase. Needs a session. The user needs the capability admin.
   *
   * For another user: your own is changed with `PUT /auth/passphrase`. All sessions of the user end. Unless the operator has turned it off, memberships of the user in vaults are on hold until another Admin confirms them.
   */
  'user.passphrase': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    body: {
      /**
       * The pass phrase from now on; the next login says that it is to be changed.
       */
      newpassphrase: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Capabilities of the user. A bitmap, whose bits `GET /utils/statusvalues` names.
         */
        calculated_status: number
        /**
         * Sessions of the user, which have ended.
         */
        ended: number
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * List the OTP devices of a user. Needs a session. The user needs the capability admin, for other users than oneself.
   */
  'user.otp.list': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The devices of the user.
         */
        otpdevices: OtpDevice[]
      }
    }
  }
  /**
   * Give a user an OTP device. Needs a session. The user needs the capability admin.
   *
   * A seed that is made here is in this one answer and is never shown again. Unless the operator has turned it off, memberships of the user in vaults are on hold until another Admin confirms them.
   */
  'user.otp.enrol': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    body: {
      /**
       * `totp` an authenticator app (RFC 6238), `hotp` a token that counts (RFC 4226), `hwkey_otp` a hardware token that types 44 characters.
       */
      kind: 'totp' | 'hotp' | 'hwkey_otp'
      /**
       * Of `totp` and `hotp`: the hash, `sha1`, `sha256` or `sha512`. `sha1` when absent, which every app knows.
       */
      algorithm?: string
      /**
       * Of `totp` and `hotp`: digits of a code, 6 to 8. 6 when absent.
       */
      digits?: number | string
      /**
       * Of `totp`: seconds for which a code is shown, 15 to 120. 30 when absent.
       */
      period?: number | string
      /**
       * Of `hotp`: the present counter of a token that is already in use. 0 when absent.
       */
      counter?: number | string
      /**
       * Of `hwkey_otp`, where it is required: 12 modhex characters. By itself it gives the user a token that the appliance already knows.
       */
      public_id?: string
      /**
       * Of `hwkey_otp`: 6 bytes in hexadecimal.
       */
      private_id?: string
      /**
       * Of `hwkey_otp` 16 bytes in hexadecimal, the AES key; of `totp` and `hotp` a seed of 16 to 64 bytes in base32. Where an app or HOTP token comes without, the token of the appliance makes a seed.
       */
      secret?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        otpdevice: OtpDevice
        /**
         * `otpauth` URI of a seed that was made here. Shown this once.
         */
        uri?: string
        /**
         * The seed that was made here, in base32. Shown this once.
         */
        secret?: string
        /**
         * The URI as a QR code, an SVG.
         */
        qr?: string
      }
    }
  }
  /**
   * Take an OTP device from a user. Needs a session. The user needs the capability admin.
   *
   * A login with it is refused from now on.
   */
  'user.otp.remove': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
      /**
       * Id of the device, as `GET /user/{userid}/otp` lists it. Decimal digits.
       */
      deviceid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
        otpdevice: OtpDevice
      }
    }
  }
  /**
   * Resynchronise a HOTP token by two consecutive codes. Needs a session. The user needs the capability admin.
   *
   * For a token whose button was pressed so often without a login that its codes are no longer accepted.
   */
  'user.otp.resync': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
      /**
       * Id of the device, as `GET /user/{userid}/otp` lists it. Decimal digits.
       */
      deviceid: string | number
    }
    body: {
      /**
       * A code that the token shows.
       */
      otp1: string
      /**
       * The code that it shows next.
       */
      otp2: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * List users, or search for some. Needs a session. The user needs the capability admin or createVault.
   */
  'user.list': {
    query: {
      /**
       * Part of a user name, full name or e-mail address: 15 characters at most. All users when absent.
       */
      searchstring?: string
      /**
       * Most users of the page, 1 to 1000. All users in one answer when absent.
       */
      limit?: string
      /**
       * `CALLINFO.next` of the page before. It goes with `limit`.
       */
      next?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The users that were found, in the order in which they were made.
         */
        users: User[] | PublicUser[]
        /**
         * What to send as `next` for the next page; absent where nothing is left.
         */
        next?: string
      }
    }
  }
  /**
   * Create a user. Needs a session. The user needs the capability admin.
   *
   * Without `yubikey` and `totp` the user cannot log in until a second factor is given.
   */
  'user.create': {
    body: {
      /**
       * Login name: letters, digits and `- _ . @`. No two users have the same.
       */
      username: string
      /**
       * Full name; blanks around it are left out.
       */
      fullname: string
      /**
       * E-mail address.
       */
      email: string
      /**
       * Capabilities of the user, as the numbers of the bits or as the bitmap; `GET /utils/statusvalues` names them. Without bit 7 (Active) the user cannot log in.
       */
      status: number[] | number | string
      /**
       * First pass phrase of the user. It must not be one that is easily guessed.
       */
      passphrase: string
      /**
       * An OTP of the hardware token that the user gets: its first 12 characters name a token that the appliance knows.
       */
      yubikey?: string
      /**
       * Whether the user gets an authenticator app, whose seed is in `CALLINFO.otpauth`. Not when absent.
       */
      totp?: boolean | ('true' | 'false')
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Id of the new user. Decimal digits.
         */
        id: string
        /**
         * Full name of the new user.
         */
        user_created: string
        /**
         * The new user.
         *
         * @minItems 1
         * @maxItems 1
         */
        user: User[]
        /**
         * Capabilities that the user has got. A bitmap, whose bits `GET /utils/statusvalues` names.
         */
        calculated_status: number
        /**
         * What was done, in a sentence for people.
         */
        message: string
        /**
         * `otpauth` URI of the new authenticator app. It is shown here and never again.
         */
        otpauth?: string
      }
    }
  }
  /**
   * Read a user by id, or search for some. Needs a session. The user needs the capability admin or createVault.
   */
  'user.read': {
    params: {
      /**
       * Id of a user in decimal digits, or a text of 15 characters at most to search for.
       */
      userid: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The users that were found, in the order in which they were made.
         */
        users: User[] | PublicUser[]
      }
    }
  }
  /**
   * Edit a user. Needs a session. The user needs the capability admin.
   *
   * It changes what is given and leaves the rest. PUT and POST do the same. Callers cannot raise their own capabilities.
   */
  'user.edit': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    body: {
      /**
       * Login name: letters, digits and `- _ . @`. No two users have the same.
       */
      username?: string
      /**
       * Full name; blanks around it are left out.
       */
      fullname?: string
      /**
       * E-mail address.
       */
      email?: string
      /**
       * Capabilities of the user, as the numbers of the bits or as the bitmap; `GET /utils/statusvalues` names them. Without bit 7 (Active) the user cannot log in.
       */
      status?: number[] | number | string
      /**
       * Public ids of hardware tokens that the user is to hold, with commas between: 12 modhex characters each, three at most. Tokens that the user holds and that are not named stay, for an empty text too: `DELETE /user/:userid/otp/:deviceid` removes one.
       */
      otpprefix?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Capabilities that the user has now. A bitmap, whose bits `GET /utils/statusvalues` names.
         */
        calculated_status: number
        /**
         * Full name of the user.
         */
        user_created: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Edit a user. Needs a session. The user needs the capability admin.
   *
   * It changes what is given and leaves the rest. PUT and POST do the same. Callers cannot raise their own capabilities.
   */
  'user.edit.post': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    body: {
      /**
       * Login name: letters, digits and `- _ . @`. No two users have the same.
       */
      username?: string
      /**
       * Full name; blanks around it are left out.
       */
      fullname?: string
      /**
       * E-mail address.
       */
      email?: string
      /**
       * Capabilities of the user, as the numbers of the bits or as the bitmap; `GET /utils/statusvalues` names them. Without bit 7 (Active) the user cannot log in.
       */
      status?: number[] | number | string
      /**
       * Public ids of hardware tokens that the user is to hold, with commas between: 12 modhex characters each, three at most. Tokens that the user holds and that are not named stay, for an empty text too: `DELETE /user/:userid/otp/:deviceid` removes one.
       */
      otpprefix?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Capabilities that the user has now. A bitmap, whose bits `GET /utils/statusvalues` names.
         */
        calculated_status: number
        /**
         * Full name of the user.
         */
        user_created: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Disable a user. Needs a session. The user needs the capability admin.
   *
   * A user is never deleted: records name them. The sessions of the user end; `PUT /user/{userid}` with a status enables the user again.
   */
  'user.disable': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Capabilities that the user has now, without Active. A bitmap, whose bits `GET /utils/statusvalues` names.
         */
        calculated_status: number
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Read your own account. Needs a session.
   */
  'me.read': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Id of the caller. Decimal digits.
         */
        userid: string
        /**
         * Login name of the caller.
         */
        username: string
        /**
         * Full name of the caller.
         */
        fullname: string
        /**
         * E-mail address of the caller.
         */
        email: string
        /**
         * Capabilities of the caller. A bitmap as decimal text, whose bits `GET /utils/statusvalues` names.
         */
        userstatus: string
        /**
         * When the pass phrase was last changed. UTC.
         */
        passphrase_changed: string
        /**
         * Vaults in which the membership of the caller is on hold until it is confirmed.
         */
        resting: number
        /**
         * Milliseconds without a call after which the session ends.
         */
        timeout: number
        /**
         * Whether one-time links are made here.
         */
        links: boolean
      }
    }
  }
  /**
   * Change your own e-mail address. Needs a session.
   *
   * Those with whom you share vaults see it. No login and no reset depends on it.
   */
  'me.email': {
    body: {
      /**
       * E-mail address.
       */
      email: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * E-mail address.
         */
        email: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * End all your other sessions. Needs a session.
   *
   * The session of the call itself goes on.
   */
  'me.sessions.end': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Sessions that have ended.
         */
        ended: number
      }
    }
  }
  /**
   * Begin to enrol an authenticator app for yourself. Needs a session.
   *
   * The token of the appliance makes a seed, which is only in this one answer. The app is not a second factor before `POST /me/otp/{deviceid}/activate`, for which there are 15 minutes. An enrolment that was begun before is void.
   */
  'me.otp.begin': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        otpdevice: OtpDevice
        /**
         * `otpauth` URI with the seed, for a QR code. Shown this once.
         */
        uri: string
        /**
         * The seed in base32, for typing. Shown this once.
         */
        secret: string
      }
    }
  }
  /**
   * Enrol a hardware token for yourself. Needs a session.
   *
   * For a token that the operator has registered and that has no user. What it types shows that you hold it, and a second factor that you have shows that it is you. Both are used up. No membership in a vault is put on hold by it.
   */
  'me.otp.adopt': {
    body: {
      /**
       * The 44 characters that the new token types.
       */
      tokenotp: string
      /**
       * The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a hardware token types. Each is good once.
       */
      otp?: string
      /**
       * The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it.
       */
      passkey?: {
        /**
         * Id of the credential. Base64url.
         */
        id: string
        /**
         * What the authenticator answered.
         */
        response: {
          /**
           * What the browser composed. Base64url.
           */
          clientDataJSON: string
          /**
           * What the authenticator composed. Base64url.
           */
          authenticatorData: string
          /**
           * Over both. Base64url.
           */
          signature: string
        }
      }
      /**
       * Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn` takes `passkey`.
       */
      logintype?: 'totp' | 'hwkey_otp' | 'yubikey_otp' | 'webauthn'
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
        otpdevice: OtpDevice
      }
    }
  }
  /**
   * Finish the enrolment of your authenticator app. Needs a session.
   *
   * A code of the new app shows that it works, and one of another device that you have shows that it is you. Both are used up. No membership in a vault is put on hold by it.
   */
  'me.otp.activate': {
    params: {
      /**
       * Id of the device, as `GET /user/{userid}/otp` lists it for oneself, or `POST /me/otp` tells it. Decimal digits.
       */
      deviceid: string | number
    }
    body: {
      /**
       * A code that the new app shows.
       */
      code: string
      /**
       * The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a hardware token types. Each is good once.
       */
      otp?: string
      /**
       * The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it.
       */
      passkey?: {
        /**
         * Id of the credential. Base64url.
         */
        id: string
        /**
         * What the authenticator answered.
         */
        response: {
          /**
           * What the browser composed. Base64url.
           */
          clientDataJSON: string
          /**
           * What the authenticator composed. Base64url.
           */
          authenticatorData: string
          /**
           * Over both. Base64url.
           */
          signature: string
        }
      }
      /**
       * Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn` takes `passkey`.
       */
      logintype?: 'totp' | 'hwkey_otp' | 'yubikey_otp' | 'webauthn'
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
        otpdevice: OtpDevice
      }
    }
  }
  /**
   * Remove an OTP device of your own. Needs a session.
   *
   * It takes a code of any device that you have, and never the last second factor. A login with the device is refused from now on; sessions that were begun with it continue until you end them.
   */
  'me.otp.remove': {
    params: {
      /**
       * Id of the device, as `GET /user/{userid}/otp` lists it for oneself, or `POST /me/otp` tells it. Decimal digits.
       */
      deviceid: string | number
    }
    body: {
      /**
       * The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a hardware token types. Each is good once.
       */
      otp?: string
      /**
       * The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it.
       */
      passkey?: {
        /**
         * Id of the credential. Base64url.
         */
        id: string
        /**
         * What the authenticator answered.
         */
        response: {
          /**
           * What the browser composed. Base64url.
           */
          clientDataJSON: string
          /**
           * What the authenticator composed. Base64url.
           */
          authenticatorData: string
          /**
           * Over both. Base64url.
           */
          signature: string
        }
      }
      /**
       * Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn` takes `passkey`.
       */
      logintype?: 'totp' | 'hwkey_otp' | 'yubikey_otp' | 'webauthn'
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
        otpdevice: OtpDevice
      }
    }
  }
  /**
   * Tell whose smartcard the client presents. Anyone may call this.
   *
   * The certificate is that of the TLS connection: a client shows it to fill in the user name before the login.
   */
  'authinfo.smcuser': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Login name of the user whose card it is.
         */
        username: string
        /**
         * Fields of the subject, such as CN, O, OU and C; one that occurs several times is an array.
         */
        subject: {
          /**
           * Value of the field, or its values.
           */
          [k: string]: string | string[]
        }
      }
    }
  }
  /**
   * Read the certificate of a user. Needs a session.
   */
  'usercert.read': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The certificate; absent where the user has none.
         */
        certificate?: {
          /**
           * Fields of the subject, such as CN, O, OU and C; one that occurs several times is an array.
           */
          subject: {
            /**
             * Value of the field, or its values.
             */
            [k: string]: string | string[]
          }
          /**
           * First moment of its validity. UTC.
           */
          validFrom: string
          /**
           * Last moment of its validity. UTC.
           */
          validTo: string
        }
      }
    }
  }
  /**
   * Read the certificate of a user. Needs a session.
   *
   * Administrators read the certificate of any user; other callers get their own, whatever id they send.
   */
  'usercert.readany': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The certificate; absent where the user has none.
         */
        certificate?: {
          /**
           * Fields of the subject, such as CN, O, OU and C; one that occurs several times is an array.
           */
          subject: {
            /**
             * Value of the field, or its values.
             */
            [k: string]: string | string[]
          }
          /**
           * First moment of its validity. UTC.
           */
          validFrom: string
          /**
           * Last moment of its validity. UTC.
           */
          validTo: string
        }
      }
    }
  }
  /**
   * Register the certificate of a user. Needs a session. The user needs the capability admin.
   *
   * The user can log in by smartcard from now on. A user has one certificate at most: another one replaces it. The file is one X.509 certificate in PEM, of a CA that the appliance trusts.
   */
  'usercert.add': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    body: {}
    answer: Envelope
  }
  /**
   * Remove the certificate of a user. Needs a session. The user needs the capability admin.
   *
   * The user can no longer log in by smartcard.
   */
  'usercert.remove': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    answer: Envelope
  }
  /**
   * Get a challenge for a login with a passkey. Anyone may call this.
   *
   * For `navigator.credentials.get`, without a list of credentials: the browser offers the passkeys that it has for `rpid`. What it gives goes to `POST /auth` with `logintype` `webauthn`, within `timeout`, once.
   */
  'auth.challenge': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What the authenticator signs over. Base64url.
         */
        challenge: string
        /**
         * Host name that the passkeys are bound to.
         */
        rpid: string
        /**
         * Whether the authenticator must know its user, or does so where it can.
         */
        userverification: 'required' | 'preferred'
        /**
         * Milliseconds within which the answer has to come.
         */
        timeout: number
      }
    }
  }
  /**
   * Get a challenge for an authenticator, within your session. Needs a session.
   *
   * For `navigator.credentials.create`, whose answer goes to `POST /me/passkeys`, and for `navigator.credentials.get`, whose answer is the `passkey` of calls that take a fresh second factor. It is good only for this session.
   */
  'me.challenge': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What the authenticator signs over. Base64url.
         */
        challenge: string
        /**
         * Host name that the passkeys are bound to.
         */
        rpid: string
        /**
         * Whether the authenticator must know its user, or does so where it can.
         */
        userverification: 'required' | 'preferred'
        /**
         * Milliseconds within which the answer has to come.
         */
        timeout: number
        /**
         * Credentials of the caller: to answer with, and not to make again.
         *
         * Items: Id of the credential. Base64url.
         */
        passkeys: string[]
        /**
         * What authenticators know the caller by; it tells nothing of whom. Base64url.
         */
        userhandle: string
        /**
         * COSE algorithms of new passkeys, the preferred one first.
         */
        algorithms: number[]
        /**
         * `direct` where only passkeys of certain makes may be registered: the authenticator has to say its make.
         */
        attestation: 'none' | 'direct'
      }
    }
  }
  /**
   * Register a passkey of your own. Needs a session.
   *
   * Besides the answer of the new authenticator to a challenge of `POST /me/challenge` it takes a second factor that you have: `otp`, or `passkey` with `logintype` `webauthn`. A user has five passkeys at most.
   */
  'me.passkey.register': {
    body: {
      /**
       * The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a hardware token types. Each is good once.
       */
      otp?: string
      /**
       * The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it.
       */
      passkey?: {
        /**
         * Id of the credential. Base64url.
         */
        id: string
        /**
         * What the authenticator answered.
         */
        response: {
          /**
           * What the browser composed. Base64url.
           */
          clientDataJSON: string
          /**
           * What the authenticator composed. Base64url.
           */
          authenticatorData: string
          /**
           * Over both. Base64url.
           */
          signature: string
        }
      }
      /**
       * Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn` takes `passkey`.
       */
      logintype?: 'totp' | 'hwkey_otp' | 'yubikey_otp' | 'webauthn'
      /**
       * What the user calls it: 1 to 64 characters, such as the device that holds it.
       */
      name: string
      /**
       * The new passkey, as `PublicKeyCredential.toJSON()` gives it.
       */
      registration: {
        /**
         * Id of the credential. Base64url.
         */
        id: string
        /**
         * What the authenticator answered.
         */
        response: {
          /**
           * What the browser composed. Base64url.
           */
          clientDataJSON: string
          /**
           * What the authenticator composed, with the public key. Base64url.
           */
          attestationObject: string
        }
      }
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        passkey: Passkey
      }
    }
  }
  /**
   * Rename a passkey of your own. Needs a session.
   */
  'me.passkey.rename': {
    params: {
      /**
       * Id of the passkey, as `GET /user/{userid}/passkeys` lists it. Decimal digits.
       */
      passkeyid: string | number
    }
    body: {
      /**
       * What the user calls it: 1 to 64 characters, such as the device that holds it.
       */
      name: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        passkey: Passkey
      }
    }
  }
  /**
   * Remove a passkey of your own. Needs a session.
   *
   * It takes a second factor that you have: `otp`, or `passkey` with `logintype` `webauthn`. The last second factor of a user stays.
   */
  'me.passkey.remove': {
    params: {
      /**
       * Id of the passkey, as `GET /user/{userid}/passkeys` lists it. Decimal digits.
       */
      passkeyid: string | number
    }
    body: {
      /**
       * The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a hardware token types. Each is good once.
       */
      otp?: string
      /**
       * The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it.
       */
      passkey?: {
        /**
         * Id of the credential. Base64url.
         */
        id: string
        /**
         * What the authenticator answered.
         */
        response: {
          /**
           * What the browser composed. Base64url.
           */
          clientDataJSON: string
          /**
           * What the authenticator composed. Base64url.
           */
          authenticatorData: string
          /**
           * Over both. Base64url.
           */
          signature: string
        }
      }
      /**
       * Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn` takes `passkey`.
       */
      logintype?: 'totp' | 'hwkey_otp' | 'yubikey_otp' | 'webauthn'
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
        passkey: Passkey
      }
    }
  }
  /**
   * List the passkeys of a user. Needs a session. The user needs the capability admin, for other users than oneself.
   */
  'user.passkey.list': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The passkeys, the oldest first.
         */
        passkeys: Passkey[]
      }
    }
  }
  /**
   * Take a passkey from a user. Needs a session. The user needs the capability admin.
   *
   * A login with it is refused from now on.
   */
  'user.passkey.remove': {
    params: {
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
      /**
       * Id of the passkey, as `GET /user/{userid}/passkeys` lists it. Decimal digits.
       */
      passkeyid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
        passkey: Passkey
      }
    }
  }
  /**
   * List service accounts. Needs a session.
   */
  'service.list': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * In the order in which they were made.
         */
        services: {
          /**
           * Id of the account: that of a member where it shares a vault. Decimal digits.
           */
          id: string
          /**
           * Name of the account, of 3 to 64 letters, digits and - _ . characters.
           */
          name: string
          /**
           * What it is for, of at most 128 characters.
           */
          description: string
          /**
           * The user who changes it.
           */
          owner: {
            /**
             * Id of the user, decimal.
             */
            id: string
            /**
             * Login name of the user.
             */
            username: string
          }
          /**
           * Whether it may log in.
           */
          active: boolean
          /**
           * When it was made. UTC.
           */
          created: string
          /**
           * When it ends, RFC 3339 in UTC; or never.
           */
          expires: string
          /**
           * IP addresses and ranges such as 192.0.2.0/24 from which it logs in and calls; any where there is none.
           */
          addresses: string[]
          /**
           * What it logs in with, 16 at most.
           */
          credentials: {
            /**
             * Id of the credential, 16 hexadecimal digits; sessions and the audit trail name it.
             */
            id: string
            /**
             * Kind of the credential: certificate, ca, jwt, federated or static.
             */
            kind: string
            /**
             * Name of the credential, of 1 to 64 characters.
             */
            name: string
            /**
             * When it was added. UTC.
             */
            added: string
            /**
             * From when it is refused, RFC 3339 in UTC; or never.
             */
            expires: string
            /**
             * Of a certificate: SHA-256 of its DER, 64 hexadecimal digits.
             */
            sha256?: string
            /**
             * Of a CA: the subject alternative name of the certificates that it issues to this account.
             */
            san?: {
              /**
               * Kind of the name: dns, uri or email.
               */
              type: string
              /**
               * What the name has to be; * stands for any characters.
               */
              pattern: string
            }
            /**
             * Of a jwt: the public key, the JSON text of a JWK.
             */
            publickey?: string
            /**
             * Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any.
             */
            kid?: string
            /**
             * Of a federated one: the issuer, of 1 to 512 characters.
             */
            issuer?: string
            /**
             * Of a federated one: the claims, all of which have to fit.
             */
            claims?: {
              /**
               * What it has to be; * is any characters.
               */
              [k: string]: string
            }
            /**
             * The last login by it; null: none yet.
             */
            lastuse: {
              /**
               * When, to the minute. UTC.
               */
              at: string
              /**
               * Address of the client.
               */
              address: string
            } | null
          }[]
        }[]
      }
    }
  }
  /**
   * Create a service account. Needs a session. The user needs the capability admin.
   */
  'service.create': {
    body: {
      /**
       * Name of the account: 3 to 64 letters, digits and - _ . characters; no user has it.
       */
      name: string
      /**
       * What it is for, of at most 128 characters.
       */
      description?: string
      /**
       * Id of the user who changes it; without it, the caller.
       */
      owner?: number | string
      /**
       * IP addresses and ranges such as 192.0.2.0/24, 64 at most, from which it logs in and calls; none: any.
       *
       * @maxItems 64
       */
      addresses?: string[]
      /**
       * When it ends, RFC 3339 in UTC; or never, as without it.
       */
      expires?: 'never' | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The new account.
         */
        service: {
          /**
           * Id of the account: that of a member where it shares a vault. Decimal digits.
           */
          id: string
          /**
           * Name of the account, of 3 to 64 letters, digits and - _ . characters.
           */
          name: string
          /**
           * What it is for, of at most 128 characters.
           */
          description: string
          /**
           * The user who changes it.
           */
          owner: {
            /**
             * Id of the user, decimal.
             */
            id: string
            /**
             * Login name of the user.
             */
            username: string
          }
          /**
           * Whether it may log in.
           */
          active: boolean
          /**
           * When it was made. UTC.
           */
          created: string
          /**
           * When it ends, RFC 3339 in UTC; or never.
           */
          expires: string
          /**
           * IP addresses and ranges such as 192.0.2.0/24 from which it logs in and calls; any where there is none.
           */
          addresses: string[]
          /**
           * What it logs in with, 16 at most.
           */
          credentials: {
            /**
             * Id of the credential, 16 hexadecimal digits; sessions and the audit trail name it.
             */
            id: string
            /**
             * Kind of the credential: certificate, ca, jwt, federated or static.
             */
            kind: string
            /**
             * Name of the credential, of 1 to 64 characters.
             */
            name: string
            /**
             * When it was added. UTC.
             */
            added: string
            /**
             * From when it is refused, RFC 3339 in UTC; or never.
             */
            expires: string
            /**
             * Of a certificate: SHA-256 of its DER, 64 hexadecimal digits.
             */
            sha256?: string
            /**
             * Of a CA: the subject alternative name of the certificates that it issues to this account.
             */
            san?: {
              /**
               * Kind of the name: dns, uri or email.
               */
              type: string
              /**
               * What the name has to be; * stands for any characters.
               */
              pattern: string
            }
            /**
             * Of a jwt: the public key, the JSON text of a JWK.
             */
            publickey?: string
            /**
             * Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any.
             */
            kid?: string
            /**
             * Of a federated one: the issuer, of 1 to 512 characters.
             */
            issuer?: string
            /**
             * Of a federated one: the claims, all of which have to fit.
             */
            claims?: {
              /**
               * What it has to be; * is any characters.
               */
              [k: string]: string
            }
            /**
             * The last login by it; null: none yet.
             */
            lastuse: {
              /**
               * When, to the minute. UTC.
               */
              at: string
              /**
               * Address of the client.
               */
              address: string
            } | null
          }[]
        }
      }
    }
  }
  /**
   * Read a service account. Needs a session. The user needs the capability admin, for service accounts of others.
   */
  'service.read': {
    params: {
      /**
       * Id of the service account. Decimal digits.
       */
      serviceid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The account.
         */
        service: {
          /**
           * Id of the account: that of a member where it shares a vault. Decimal digits.
           */
          id: string
          /**
           * Name of the account, of 3 to 64 letters, digits and - _ . characters.
           */
          name: string
          /**
           * What it is for, of at most 128 characters.
           */
          description: string
          /**
           * The user who changes it.
           */
          owner: {
            /**
             * Id of the user, decimal.
             */
            id: string
            /**
             * Login name of the user.
             */
            username: string
          }
          /**
           * Whether it may log in.
           */
          active: boolean
          /**
           * When it was made. UTC.
           */
          created: string
          /**
           * When it ends, RFC 3339 in UTC; or never.
           */
          expires: string
          /**
           * IP addresses and ranges such as 192.0.2.0/24 from which it logs in and calls; any where there is none.
           */
          addresses: string[]
          /**
           * What it logs in with, 16 at most.
           */
          credentials: {
            /**
             * Id of the credential, 16 hexadecimal digits; sessions and the audit trail name it.
             */
            id: string
            /**
             * Kind of the credential: certificate, ca, jwt, federated or static.
             */
            kind: string
            /**
             * Name of the credential, of 1 to 64 characters.
             */
            name: string
            /**
             * When it was added. UTC.
             */
            added: string
            /**
             * From when it is refused, RFC 3339 in UTC; or never.
             */
            expires: string
            /**
             * Of a certificate: SHA-256 of its DER, 64 hexadecimal digits.
             */
            sha256?: string
            /**
             * Of a CA: the subject alternative name of the certificates that it issues to this account.
             */
            san?: {
              /**
               * Kind of the name: dns, uri or email.
               */
              type: string
              /**
               * What the name has to be; * stands for any characters.
               */
              pattern: string
            }
            /**
             * Of a jwt: the public key, the JSON text of a JWK.
             */
            publickey?: string
            /**
             * Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any.
             */
            kid?: string
            /**
             * Of a federated one: the issuer, of 1 to 512 characters.
             */
            issuer?: string
            /**
             * Of a federated one: the claims, all of which have to fit.
             */
            claims?: {
              /**
               * What it has to be; * is any characters.
               */
              [k: string]: string
            }
            /**
             * The last login by it; null: none yet.
             */
            lastuse: {
              /**
               * When, to the minute. UTC.
               */
              at: string
              /**
               * Address of the client.
               */
              address: string
            } | null
          }[]
        }
      }
    }
  }
  /**
   * Change a service account. Needs a session. The user needs the capability admin, for service accounts of others and to give `owner`.
   */
  'service.change': {
    params: {
      /**
       * Id of the service account. Decimal digits.
       */
      serviceid: string | number
    }
    body: {
      /**
       * What it is for, of at most 128 characters.
       */
      description?: string
      /**
       * Id of the user who changes it; only administrators may name another user.
       */
      owner?: number | string
      /**
       * IP addresses and ranges, 64 at most, from which it logs in and calls; an empty list: any.
       *
       * @maxItems 64
       */
      addresses?: string[]
      /**
       * When it ends, RFC 3339 in UTC; or never.
       */
      expires?: 'never' | string
      /**
       * Whether it may log in; with false its sessions end at once.
       */
      active?: boolean
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The account as it is now.
         */
        service: {
          /**
           * Id of the account: that of a member where it shares a vault. Decimal digits.
           */
          id: string
          /**
           * Name of the account, of 3 to 64 letters, digits and - _ . characters.
           */
          name: string
          /**
           * What it is for, of at most 128 characters.
           */
          description: string
          /**
           * The user who changes it.
           */
          owner: {
            /**
             * Id of the user, decimal.
             */
            id: string
            /**
             * Login name of the user.
             */
            username: string
          }
          /**
           * Whether it may log in.
           */
          active: boolean
          /**
           * When it was made. UTC.
           */
          created: string
          /**
           * When it ends, RFC 3339 in UTC; or never.
           */
          expires: string
          /**
           * IP addresses and ranges such as 192.0.2.0/24 from which it logs in and calls; any where there is none.
           */
          addresses: string[]
          /**
           * What it logs in with, 16 at most.
           */
          credentials: {
            /**
             * Id of the credential, 16 hexadecimal digits; sessions and the audit trail name it.
             */
            id: string
            /**
             * Kind of the credential: certificate, ca, jwt, federated or static.
             */
            kind: string
            /**
             * Name of the credential, of 1 to 64 characters.
             */
            name: string
            /**
             * When it was added. UTC.
             */
            added: string
            /**
             * From when it is refused, RFC 3339 in UTC; or never.
             */
            expires: string
            /**
             * Of a certificate: SHA-256 of its DER, 64 hexadecimal digits.
             */
            sha256?: string
            /**
             * Of a CA: the subject alternative name of the certificates that it issues to this account.
             */
            san?: {
              /**
               * Kind of the name: dns, uri or email.
               */
              type: string
              /**
               * What the name has to be; * stands for any characters.
               */
              pattern: string
            }
            /**
             * Of a jwt: the public key, the JSON text of a JWK.
             */
            publickey?: string
            /**
             * Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any.
             */
            kid?: string
            /**
             * Of a federated one: the issuer, of 1 to 512 characters.
             */
            issuer?: string
            /**
             * Of a federated one: the claims, all of which have to fit.
             */
            claims?: {
              /**
               * What it has to be; * is any characters.
               */
              [k: string]: string
            }
            /**
             * The last login by it; null: none yet.
             */
            lastuse: {
              /**
               * When, to the minute. UTC.
               */
              at: string
              /**
               * Address of the client.
               */
              address: string
            } | null
          }[]
        }
      }
    }
  }
  /**
   * Disable a service account and take all its credentials. Needs a session. The user needs the capability admin, for service accounts of others.
   */
  'service.remove': {
    params: {
      /**
       * Id of the service account. Decimal digits.
       */
      serviceid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Add a credential to a service account. Needs a session. The user needs the capability admin, for service accounts of others.
   */
  'service.credential.add': {
    params: {
      /**
       * Id of the service account. Decimal digits.
       */
      serviceid: string | number
    }
    body: {
      /**
       * Kind of the credential. certificate: one TLS client certificate; ca: every one that a CA issues to a name; jwt: a key by which the application signs assertions; federated: JWTs of an issuer of the configuration; static: a secret text, where the operator allows it.
       */
      kind: 'certificate' | 'ca' | 'jwt' | 'federated' | 'static'
      /**
       * Name of the credential: 1 to 64 letters, digits, blanks and . _ - characters.
       */
      name: string
      /**
       * From when it is refused, RFC 3339 in UTC; or never. A certificate ends by itself too.
       */
      expires?: 'never' | string
      /**
       * The certificate of the application (certificate) or of the CA (ca), PEM, of at most 64 KiB.
       */
      certificate?: string
      /**
       * Of a ca: to whom the certificates have to be issued.
       */
      san?: {
        /**
         * Which of the subject alternative names.
         */
        type: 'dns' | 'uri' | 'email'
        /**
         * What one of them has to be: 1 to 128 characters, of which up to 8 are * for any characters.
         */
        pattern: string
      }
      /**
       * Of a jwt: the public key, PEM or the JSON text of a JWK, of at most 8 KiB: Ed25519, P-256, or RSA of 2048 to 8192 bits.
       */
      publickey?: string
      /**
       * Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any.
       */
      kid?: string
      /**
       * Of a federated one: the issuer, as `iss` of its JWTs names it and the configuration knows it.
       */
      issuer?: string
      /**
       * Of a federated one: 1 to 16 claims, all of which have to fit; one pattern at least has another character than *.
       */
      claims?: {
        /**
         * What the claim has to be: 1 to 128 characters, of which up to 8 are * for any characters.
         */
        [k: string]: string
      }
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The new credential.
         */
        credential: {
          /**
           * Id of the credential, 16 hexadecimal digits; sessions and the audit trail name it.
           */
          id: string
          /**
           * Kind of the credential: certificate, ca, jwt, federated or static.
           */
          kind: string
          /**
           * Name of the credential, of 1 to 64 characters.
           */
          name: string
          /**
           * When it was added. UTC.
           */
          added: string
          /**
           * From when it is refused, RFC 3339 in UTC; or never.
           */
          expires: string
          /**
           * Of a certificate: SHA-256 of its DER, 64 hexadecimal digits.
           */
          sha256?: string
          /**
           * Of a CA: the subject alternative name of the certificates that it issues to this account.
           */
          san?: {
            /**
             * Kind of the name: dns, uri or email.
             */
            type: string
            /**
             * What the name has to be; * stands for any characters.
             */
            pattern: string
          }
          /**
           * Of a jwt: the public key, the JSON text of a JWK.
           */
          publickey?: string
          /**
           * Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any.
           */
          kid?: string
          /**
           * Of a federated one: the issuer, of 1 to 512 characters.
           */
          issuer?: string
          /**
           * Of a federated one: the claims, all of which have to fit.
           */
          claims?: {
            /**
             * What it has to be; * is any characters.
             */
            [k: string]: string
          }
          /**
           * The last login by it; null: none yet.
           */
          lastuse: {
            /**
             * When, to the minute. UTC.
             */
            at: string
            /**
             * Address of the client.
             */
            address: string
          } | null
        }
        /**
         * Of a static one: the key, of 43 characters. It is shown once and kept nowhere.
         */
        key?: string
      }
    }
  }
  /**
   * Remove a credential of a service account, and end its sessions. Needs a session. The user needs the capability admin, for service accounts of others.
   */
  'service.credential.remove': {
    params: {
      /**
       * Id of the service account. Decimal digits.
       */
      serviceid: string | number
      /**
       * Id of the credential, 16 hexadecimal digits.
       */
      credentialid: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Make a one-time link. Needs a session.
   *
   * Encrypt the secret on your side, and hand over only the ciphertext. The link that you give away holds `opener` and the key in its fragment (`#/link/<opener>/<key>`), which browsers send to no server. Anyone who has it can open it once (`POST /link/open`).
   */
  'link.create': {
    body: {
      /**
       * The secret, encrypted by the caller under a key that stays out of this call. Base64 with padding.
       */
      ciphertext: string
      /**
       * How long it can be opened, in seconds; without it a day, or as long as the operator allows.
       */
      lifetime?: number | string
      /**
       * What its maker calls it: it is stored in the open, and is not shown to the person who opens the link.
       */
      label?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The new link.
         */
        link: {
          /**
           * Id of the link, for its maker: it does not open the link. Decimal digits.
           */
          id: string
          /**
           * What its maker calls it, of at most 128 characters.
           */
          label: string
          /**
           * What has become of the link.
           */
          state: 'waiting' | 'opened' | 'revoked' | 'expired'
          /**
           * When it was made. UTC.
           */
          created: string
          /**
           * Until when it can be opened. UTC.
           */
          expires: string
          /**
           * When it was opened or revoked, UTC; null while it waits.
           */
          closed: string | null
        }
        /**
         * What opens it, of 22 characters; shown this once.
         */
        opener: string
      }
    }
  }
  /**
   * List your one-time links. Needs a session.
   */
  'link.list': {
    query: {
      /**
       * Most links of the page, 1 to 1000. 1000 when absent.
       */
      limit?: string
      /**
       * `CALLINFO.next` of the page before.
       */
      next?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The newest first; ended ones for 30 days after their time.
         */
        links: {
          /**
           * Id of the link, for its maker: it does not open the link. Decimal digits.
           */
          id: string
          /**
           * What its maker calls it, of at most 128 characters.
           */
          label: string
          /**
           * What has become of the link.
           */
          state: 'waiting' | 'opened' | 'revoked' | 'expired'
          /**
           * When it was made. UTC.
           */
          created: string
          /**
           * Until when it can be opened. UTC.
           */
          expires: string
          /**
           * When it was opened or revoked, UTC; null while it waits.
           */
          closed: string | null
        }[]
        /**
         * What one user may have.
         */
        limits: {
          /**
           * Most bytes of a ciphertext.
           */
          bytes: number
          /**
           * Most links that wait to be opened at once.
           */
          links: number
          /**
           * Most seconds that a link can wait.
           */
          lifetime: number
        }
        /**
         * What to send as `next` for the next page; absent where nothing is left.
         */
        next?: string
      }
    }
  }
  /**
   * Open a one-time link. Anyone may call this.
   *
   * Needs no session. The ciphertext is gone from the appliance when the answer leaves, whether or not it arrives. A link that was opened, was revoked, has expired or never existed gets the same answer.
   */
  'link.open': {
    body: {
      /**
       * The first part of the link, after `#/link/`. Never send the second: it is the key.
       */
      opener: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The ciphertext that the maker of the link sent. Base64 with padding.
         */
        ciphertext: string
      }
    }
  }
  /**
   * Revoke a one-time link of yours that waits to be opened. Needs a session.
   */
  'link.revoke': {
    params: {
      /**
       * Id of the link, as `GET /link` lists it. Decimal digits.
       */
      linkid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Create a vault. Needs a session. The user needs the capability createVault.
   *
   * The caller is its only member, with Admin. Policy 16 when `policy` is absent; the name when `description` is absent. Ten earlier versions of each object are kept when `history` is.
   */
  'vault.create': {
    body: {
      /**
       * Name of the vault. Vaults of the same name are possible.
       */
      vaultname?: string
      /**
       * The same under its older name: send one of the two.
       */
      groupname?: string
      /**
       * Id of the password policy for what lies in the vault, as `GET /utils/policies` lists it.
       */
      policy?: number | string
      /**
       * What the vault is for.
       */
      description?: string
      /**
       * How many earlier versions of each object are kept: 0 to 100. Where it is made smaller, versions beyond it are no longer shown, and are removed with the next edit of each object.
       */
      history?: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    } & {
      /**
       * The vault.
       *
       * @minItems 1
       * @maxItems 1
       */
      VAULT: Vault[]
      /**
       * The vault.
       *
       * @minItems 1
       * @maxItems 1
       */
      VAULTS: Vault[]
    }
  }
  /**
   * List the vaults shared with the caller. Needs a session.
   *
   * Vaults in which the membership of the caller is on hold are left out; `CALLINFO.general` says so.
   */
  'vault.list': {
    answer: Envelope & {
      /**
       * The vaults, in the order of their ids; empty where none is shared.
       */
      VAULTS: Vault[]
    }
  }
  /**
   * Read a vault and what lies in it. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for list (objects).
   *
   * Its objects come without their encrypted fields: `GET /object/{objectid}` decrypts those.
   */
  'vault.read': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
    }
    answer: Envelope & {
      /**
       * The vault.
       *
       * @minItems 1
       * @maxItems 1
       */
      VAULT: Vault[]
      /**
       * What lies in the vault, at every depth, without encrypted fields.
       */
      OBJECTS: Object[]
      /**
       * The templates that occur among the objects.
       */
      TEMPLATES: Template[]
    }
  }
  /**
   * Change name, password policy, description or history of a vault. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * It changes what is given and leaves the rest.
   */
  'vault.edit': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
    }
    body: {
      /**
       * Name of the vault. Vaults of the same name are possible.
       */
      vaultname?: string
      /**
       * The same under its older name: send one of the two.
       */
      groupname?: string
      /**
       * Id of the password policy for what lies in the vault, as `GET /utils/policies` lists it.
       */
      policy?: number | string
      /**
       * What the vault is for.
       */
      description?: string
      /**
       * How many earlier versions of each object are kept: 0 to 100. Where it is made smaller, versions beyond it are no longer shown, and are removed with the next edit of each object.
       */
      history?: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    } & {
      /**
       * The vault.
       *
       * @minItems 1
       * @maxItems 1
       */
      VAULT: Vault[]
    }
  }
  /**
   * Delete an empty vault. Needs a session of a member of the vault, with Admin or more. The user needs the capability createVault. A member whose rights are narrowed by grants is refused.
   *
   * Its objects and keys have to be deleted first.
   */
  'vault.delete': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * List the members of a vault. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed by grants is refused.
   */
  'vault.members': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The members, in the order of their ids.
         */
        vaultmembers: Member[]
      }
    }
  }
  /**
   * Share a vault with a user, all of it or some of its keys. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * The user sees the vault and what lies in it from the next call on; with grants, what they allow and nothing else.
   */
  'vault.member.add': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    body: {
      /**
       * Permission of the member from now on: 1 Read, 2 Write, 4 Admin. Each holds those before it.
       */
      status: (1 | 2 | 4) | ('1' | '2' | '4')
      /**
       * Narrows Read to what one of these entries allows, 1 to 32 of them; everything else is refused. Only with status 1. null: nothing narrows the permission. Absent: it stays as it is; for a new member, nothing narrows it.
       */
      grants?:
        | (
            | {
                /**
                 * Which keys: a name, in which each * stands for any number of characters. 1 to 128 letters, digits and _ . - and *, of which 8 at most.
                 */
                keys: string
                /**
                 * What may be done with them. read: their public part and metadata, and their place in lists.
                 */
                operations: (
                  'encrypt' | 'decrypt' | 'rewrap' | 'sign' | 'verify' | 'hmac' | 'datakey' | 'random' | 'read'
                )[]
                /**
                 * Base64 of 1 to 256 bytes with which the additional data (aad) of each item have to begin.
                 */
                aad?: string
                /**
                 * Items a day (UTC) at most, 1 to 1000000000; absent for any number.
                 */
                daily?: number
                /**
                 * Whether calls by this entry that have a member which the interface does not know are refused.
                 */
                strict?: boolean
              }
            | {
                /**
                 * What may be done: `list` find objects and list them, with their open fields; `read` read one without its secrets; `decrypt` its encrypted fields and its file.
                 */
                objects: ('list' | 'read' | 'decrypt')[]
              }
          )[]
        | null
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Change the permission of a member, and its grants. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * It takes effect with the next call of the member. Grants that are not named stay as they are.
   */
  'vault.member.change': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    body: {
      /**
       * Permission of the member from now on: 1 Read, 2 Write, 4 Admin. Each holds those before it.
       */
      status: (1 | 2 | 4) | ('1' | '2' | '4')
      /**
       * Narrows Read to what one of these entries allows, 1 to 32 of them; everything else is refused. Only with status 1. null: nothing narrows the permission. Absent: it stays as it is; for a new member, nothing narrows it.
       */
      grants?:
        | (
            | {
                /**
                 * Which keys: a name, in which each * stands for any number of characters. 1 to 128 letters, digits and _ . - and *, of which 8 at most.
                 */
                keys: string
                /**
                 * What may be done with them. read: their public part and metadata, and their place in lists.
                 */
                operations: (
                  'encrypt' | 'decrypt' | 'rewrap' | 'sign' | 'verify' | 'hmac' | 'datakey' | 'random' | 'read'
                )[]
                /**
                 * Base64 of 1 to 256 bytes with which the additional data (aad) of each item have to begin.
                 */
                aad?: string
                /**
                 * Items a day (UTC) at most, 1 to 1000000000; absent for any number.
                 */
                daily?: number
                /**
                 * Whether calls by this entry that have a member which the interface does not know are refused.
                 */
                strict?: boolean
              }
            | {
                /**
                 * What may be done: `list` find objects and list them, with their open fields; `read` read one without its secrets; `decrypt` its encrypted fields and its file.
                 */
                objects: ('list' | 'read' | 'decrypt')[]
              }
          )[]
        | null
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Stop sharing a vault with a user, or leave it. Needs a session of a member of the vault, with Read or more. Removing others needs Admin. A member whose rights are narrowed by grants is refused.
   */
  'vault.member.remove': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    } & {
      /**
       * What the call answers, beside what was sent.
       */
      DATA?: {
        /**
         * Id of the user who was removed, as a number.
         */
        userid: number
        [k: string]: unknown
      }
    }
  }
  /**
   * Confirm a member whose membership is on hold. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * A membership is put on hold when an administrator or the operator gives its user a pass phrase or a second factor, so that neither of them gets into the vaults of the user by it.
   */
  'vault.member.confirm': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Id of the user, as `GET /user` lists it. Decimal digits.
       */
      userid: string | number
    }
    body: {
      /**
       * Number of the last recovery that the caller knows of, as `resting.recovery` of the member shows it: where there was a later one, the call is refused.
       */
      recovery?: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * List the password policies. Needs a session.
   */
  'utils.policies': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The policies, in a fixed order, which is not that of their ids.
         */
        policies: PasswordPolicy[]
      }
    }
  }
  /**
   * Generate a password. Needs a session.
   *
   * Where fewer than 2^50 passwords are like it, `CALLINFO.general` says that it is weak.
   */
  'utils.pwgen': {
    query: {
      /**
       * `secure` random characters, `pin` digits, `pronounceable` syllables (`pronouncable` is the same), `bytes` random bytes, `opie` twelve short English words (128 bits, RFC 2289), `diceword` words of a list. `secure` when empty.
       */
      type?: 'secure' | 'pin' | 'pronounceable' | 'pronouncable' | 'bytes' | 'opie' | 'diceword' | ''
      /**
       * Id of a password policy that the password is to keep; takes precedence over `type`. 0 to 9999.
       */
      policyid?: '' | string
      /**
       * Length; when absent 40 of `secure`, 4 of `pin`, 12 of `pronounceable`, 32 of `bytes`, 20 by a policy. At most 100 of `pin`, 128 by a policy. 1 to 1024.
       */
      length?: '' | string
      /**
       * Of `opie` and `diceword`: what stands between the words, as a name or as the character. A blank when absent.
       */
      delimiter?: ('dash' | 'space' | 'default' | '') | (',' | '.' | '-' | '_' | '=' | ':' | ' ')
      /**
       * The same as `delimiter`.
       */
      delimeter?: ('dash' | 'space' | 'default' | '') | (',' | '.' | '-' | '_' | '=' | ':' | ' ')
      /**
       * Of `diceword`: language of the words. `en_US` when empty.
       */
      language?: string
      /**
       * Of `diceword`: how many words, 5 when absent. 1 to 100.
       */
      words?: '' | string
      /**
       * Of `diceword`: letters of the shortest word, 2 when absent. 0 to 100.
       */
      min_char?: '' | string
      /**
       * Of `diceword`: letters of the longest word, 0 or absent for any. 0 to 100.
       */
      max_char?: '' | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The password. The appliance does not keep it.
         */
        passphrase: string
        /**
         * Its length, in UTF-16 code units.
         */
        length: number
        /**
         * The type that was asked for.
         */
        type: string
        /**
         * Its strength: there are 2 to the power of this many like it, rounded down.
         */
        bits: number
      }
    }
  }
  /**
   * List the bits of status. Needs a session.
   */
  'utils.statusvalues': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What the bits of both kinds of status are called.
         */
        statusbits: {
          /**
           * Bits of the status of a user, by the name of the capability.
           */
          userbits: {
            /**
             * Number of the bit, from 0.
             */
            [k: string]: number
          }
          /**
           * Bits of the status of a member in a vault, by the name of the permission.
           */
          vaultbits: {
            /**
             * Number of the bit, from 0.
             */
            [k: string]: number
          }
        }
      }
    }
  }
  /**
   * Read the version of the appliance. Needs a session.
   */
  'utils.version': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Release of the program that answers.
         */
        version: string
      }
    }
  }
  /**
   * Read the state of the appliance. Needs a session. The user needs the capability admin.
   *
   * Of the machine that answers. `strongroom doctor`, on the machine, looks at more, and says what to do about it.
   */
  'utils.state': {
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Release of the program that answers.
         */
        version: string
        /**
         * Whether calls are served; `unknown` where the process that looks did not answer in time.
         */
        state: 'ready' | 'not_ready' | 'stopping' | 'unknown'
        /**
         * When it was looked at; absent where it is unknown. UTC.
         */
        at?: string
        /**
         * What the monitor tells at /health/ready.
         */
        checks: {
          /**
           * What was looked at, such as `token` or `database`.
           */
          name: string
          /**
           * `warning`: calls are served, and an operator has something to do.
           */
          state: 'ok' | 'warning' | 'failed'
          /**
           * What was seen, for people.
           */
          detail: string
        }[]
        /**
         * What the daemon warns of in its journal.
         */
        warnings: {
          /**
           * What it is about, such as `disk.audit`: the same as long as the warning lasts.
           */
          name: string
          /**
           * How urgent it is.
           */
          state: 'warning' | 'problem'
          /**
           * What was seen, for people.
           */
          detail: string
          /**
           * What to do about it, for people.
           */
          remedy: string
        }[]
      }
    }
  }
  /**
   * Detect the MIME type of a file. Needs a session.
   *
   * The first bytes decide, and the extension where several formats begin alike.
   */
  'utils.mimetype': {
    body: {
      /**
       * The first bytes of the file, 64 at most. Base64 with padding.
       */
      data: string
      /**
       * Extension of its name, 25 characters at most; without the dot, or with it.
       */
      extension: string
      /**
       * Length that the file is to have, in bytes: a file that is too large for the appliance is refused.
       */
      size?: number | string
    }
    answer: Envelope & {
      /**
       * What was found.
       */
      RESULT: {
        /**
         * Media type of the file.
         */
        mimetype: string
        /**
         * The size that was sent.
         */
        size?: number
        /**
         * Largest file that the appliance takes, in bytes.
         */
        max_file_size: number
      }
    }
  }
  /**
   * List the templates. Needs a session.
   */
  'template.list': {
    answer: Envelope & {
      /**
       * The templates.
       */
      TEMPLATE: TemplateEntry[]
    }
  }
  /**
   * Read a template. Needs a session.
   */
  'template.read': {
    params: {
      /**
       * Id of the template, as `GET /template` lists it. Decimal digits.
       */
      templateid: string | number
    }
    answer: Envelope & {
      TEMPLATE: TemplateEntry
      /**
       * The same with its fields as a list.
       *
       * @minItems 1
       * @maxItems 1
       */
      TEMPLATES: Template[]
    }
  }
  /**
   * Identify the template of a file by its content. Needs a session.
   *
   * The file is not kept: `POST /object` saves it. For a large file the beginning is enough.
   */
  'file.collect': {
    body: {
      /**
       * Name of the file, where its part has none.
       */
      file1?: string
      /**
       * Pass phrase of the file, to read what a PKCS#12 or a private key says behind it. It is not kept.
       */
      passphrase?: string
    }
    answer: Envelope & {
      /**
       * Beside the template, what was read of the file, under the names of the fields of the template.
       */
      DATA?: {
        /**
         * Id of the template: a number, but text of a certificate, as a published client sends it on.
         */
        templateid: string | number
        [k: string]: unknown
      }
    } & {
      /**
       * The template that the file belongs to, its fields by name and filled in.
       */
      STRUCTURE: {
        [k: string]: FilledTemplateField
      }
    }
  }
  /**
   * Create an object. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   *
   * As JSON or, with a file, as a form. A value that breaks the password policy of the vault is saved all the same, and `CALLINFO.general` holds `BAD_POLICY`.
   */
  'object.create': {
    /**
     * Beside these, one member for each field of the template: its value as text.
     */
    body: {
      /**
       * Id of the vault. In a form it stands before the file.
       */
      groupid: number | string
      /**
       * Id of the template: required, but for a file, which template 3 takes.
       */
      templateid?: number | string
      /**
       * Id of the object in which it is to lie, 0 for the root of the vault.
       */
      parentid?: number | string
      /**
       * Name of the object. When absent or empty it is made of the fields.
       */
      objectname?: string | null
      [k: string]: unknown
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Id of the object. Decimal digits.
         */
        objectid: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Read an object. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for read (objects).
   *
   * Each field that is decrypted gets a record in the audit trail.
   */
  'object.read': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    query: {
      /**
       * Whether to decrypt its encrypted fields, into `crypted`. Not together with `children`.
       */
      decrypt?: ('true' | 'false') | boolean
      /**
       * Whether to list what lies in it, behind it.
       */
      children?: ('true' | 'false') | boolean
      /**
       * Whether to decrypt its file, into `FILEDATA`.
       */
      filedata?: ('true' | 'false') | boolean
    }
    answer: Envelope & {
      /**
       * The object, then what lies in it.
       *
       * @minItems 1
       */
      OBJECT: Object[]
      /**
       * The templates that occur among the objects.
       */
      TEMPLATES: Template[]
      /**
       * Its parents, from the root of the vault down; empty in the root.
       */
      BREADCRUMB: {
        /**
         * Id of the parent. Decimal digits.
         */
        objectid: string
        /**
         * Its name.
         */
        objectname: string
        /**
         * Name of the icon of its template.
         */
        icon: string
      }[]
      /**
       * Content of its file, where the call asked for it with `filedata`. Base64 with padding.
       */
      FILEDATA?: string
    }
  }
  /**
   * Edit an object. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   *
   * It changes what is given and keeps the rest. As JSON or, with another file, as a form. With `ifVersion` it changes nothing where another call has changed the object since it was read.
   */
  'object.edit': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    /**
     * Beside these, any fields of the template: their new values as text.
     */
    body: {
      /**
       * Id of the vault of the object, which cannot be changed.
       */
      groupid?: number | string
      /**
       * Id of the template of the object, which cannot be changed.
       */
      templateid?: number | string
      /**
       * Id of the object in which it lies, which cannot be changed.
       */
      parentid?: number | string
      /**
       * New name of the object.
       */
      objectname?: string
      /**
       * `version` of the object as it was read: it is changed only while it still is of this one.
       */
      ifVersion?: number | string
      [k: string]: unknown
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Id of the object. Decimal digits.
         */
        objectid: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Delete an object. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   *
   * It goes into the trash of its vault, from where it can be taken back until its recovery window has passed (the setting `objects.recoveryWindowMs`). With others in it, it is refused without `children`; they go with it, and come back with it.
   */
  'object.delete': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    body: {
      /**
       * Whether all that lies in it is deleted with it: 500 objects at most, with 32 MiB of open fields, of which a search looks through 1 MiB.
       */
      children?: boolean | ('true' | 'false')
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * List the earlier versions of an object. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for read (objects).
   *
   * The newest first, without encrypted fields. An edit keeps what it replaces; the vault says how many such versions are kept (`history`).
   */
  'object.history': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    answer: Envelope & {
      /**
       * The earlier versions.
       */
      HISTORY: EarlierVersion[]
    }
  }
  /**
   * Read an earlier version of an object. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for read (objects).
   *
   * Each field that is decrypted gets a record in the audit trail. To have the values again, edit the object with them.
   */
  'object.history.read': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
      /**
       * Version of the object, as its history lists it. Decimal digits.
       */
      version: string | number
    }
    query: {
      /**
       * Whether to decrypt its encrypted fields, into `crypted`.
       */
      decrypt?: ('true' | 'false') | boolean
    }
    answer: Envelope & {
      /**
       * The version, as the list has it.
       *
       * @minItems 1
       * @maxItems 1
       */
      HISTORY: EarlierVersion[]
    }
  }
  /**
   * Set or clear the alarm of an object. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * With the alarm set, decrypting a field that can alarm, or the file, is told to the operator.
   */
  'object.alarm': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    body: {
      /**
       * Whether decrypting the object raises an alarm from now on.
       */
      alarm: boolean | ('true' | 'false')
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Id of the object. Decimal digits.
         */
        objectid: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Take a deleted object back. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   *
   * With all that was deleted with it, as long as its time has not passed. It goes back to where it was, or to the root of its vault if its parent is gone.
   */
  'object.undelete': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Id of the object. Decimal digits.
         */
        objectid: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
        /**
         * How many objects went, with those that lie in it.
         */
        objects: string
        /**
         * Id of the object in which it lies, 0 in the root of the vault. Decimal digits.
         */
        parentid: string
      }
    }
  }
  /**
   * List the deleted objects of a vault. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   *
   * The newest first, 1,000 at most. They can be taken back until the time that each names (the setting `objects.recoveryWindowMs`).
   */
  'object.trash': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
    }
    answer: Envelope & {
      /**
       * The deleted objects.
       */
      TRASH: TrashedObject[]
      /**
       * The templates that occur among the objects.
       */
      TEMPLATES: Template[]
    }
  }
  /**
   * Make an object a favourite, or no longer. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for read (objects).
   *
   * Favourites belong to the caller, and no other user sees them: 500 at most.
   */
  'object.favourite': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    body: {
      /**
       * Whether it is one from now on.
       */
      favourite: boolean | ('true' | 'false')
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Id of the object. Decimal digits.
         */
        objectid: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Take an object off the favourites of the caller. Needs a session.
   *
   * Needs no right in the vault: the answer depends only on the favourites of the caller, and tells nothing of the object.
   */
  'object.favourite.clear': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * List the favourites of the caller. Needs a session.
   *
   * By their names, from every vault that is shared with the caller.
   */
  'object.favourites': {
    answer: Envelope & {
      /**
       * The objects, without encrypted fields.
       */
      OBJECT: Object[]
      /**
       * The templates that occur among the objects.
       */
      TEMPLATES: Template[]
    }
  }
  /**
   * Set the tags of the caller for an object. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for read (objects).
   *
   * They replace the earlier tags. Tags belong to the caller, and no other user sees them: on 2,000 objects at most.
   */
  'object.tags.set': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    body: {
      /**
       * All of them from now on; an empty list takes them away.
       *
       * @maxItems 20
       *
       * Items: A tag: a word or a few. Space around it is left out.
       */
      tags: string[]
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Id of the object. Decimal digits.
         */
        objectid: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * Take away the tags of the caller for an object. Needs a session.
   *
   * Needs no right in the vault: the answer depends only on the tags of the caller, and tells nothing of the object.
   */
  'object.tags.clear': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * What was done, in a sentence for people.
         */
        message: string
      }
    }
  }
  /**
   * List the tags of the caller. Needs a session.
   *
   * In alphabetical order, with their objects from every vault that is shared with the caller.
   */
  'object.tags': {
    answer: Envelope & {
      /**
       * The tags: one entry for each, however its letters are capitalised.
       */
      TAGS: {
        /**
         * The tag, as the caller spelled it last.
         */
        tag: string
        /**
         * The objects that the caller keeps it for.
         *
         * @minItems 1
         *
         * Items: Id of an object. Decimal digits.
         */
        objects: string[]
      }[]
      /**
       * The objects that have tags, without encrypted fields.
       */
      OBJECT: Object[]
      /**
       * The templates that occur among the objects.
       */
      TEMPLATES: Template[]
    }
  }
  /**
   * Move an object with all that lies in it. Needs a session of a member of the vault, with Write or more. The vault into which it goes needs Write. A member whose rights are narrowed by grants is refused.
   *
   * All of it moves, or nothing. Into another vault, whose key encrypts it again in the token, it keeps its id and its alarm; each secret is recorded, and raises alarms, as if it were decrypted, and the policy of that vault judges its values. At most 500 objects at once, with 16 MiB of open fields, of which a search looks through 1 MiB.
   */
  'object.move': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    body: {
      /**
       * Id of the vault into which it goes; without it, its own.
       */
      groupid?: number | string
      /**
       * Id of the object in which it is to lie, 0 for the root of the vault.
       */
      parentid: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Id of the object. Decimal digits.
         */
        objectid: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
        /**
         * How many objects went, with those that lie in it.
         */
        objects: string
      }
    }
  }
  /**
   * Copy an object with all that lies in it. Needs a session of a member of the vault, with Read or more. The vault into which it goes needs Write. A member whose rights are narrowed by grants is refused.
   *
   * All of it is copied, or nothing. The copies keep the alarm. They are encrypted again in the token; each secret is recorded, and raises alarms, as if it were decrypted, and the policy of the vault into which it goes judges its values. At most 500 objects at once, with 16 MiB of open fields, of which a search looks through 1 MiB.
   */
  'object.copy': {
    params: {
      /**
       * Id of the object. Decimal digits.
       */
      objectid: string | number
    }
    body: {
      /**
       * Id of the vault into which the copy goes; without it, its own.
       */
      groupid?: number | string
      /**
       * Id of the object in which the copy is to lie, 0 for the root of the vault.
       */
      parentid: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Id of the object. Decimal digits.
         */
        objectid: string
        /**
         * What was done, in a sentence for people.
         */
        message: string
        /**
         * How many objects went, with those that lie in it.
         */
        objects: string
      }
    }
  }
  /**
   * Find objects by their name and open fields. Needs a session.
   *
   * It looks in every vault that is shared with the caller. Encrypted fields are not searched, and of an object with more than 16,384 characters of open fields the last of its longest ones are not.
   */
  'object.find': {
    query: {
      /**
       * Text to look for, in upper or lower case.
       */
      needle: string
      /**
       * Most objects of the answer, 1 to 1000.
       */
      limit?: string
    }
    answer: Envelope & {
      /**
       * The objects that hold it, without encrypted fields.
       */
      OBJECT: Object[]
      /**
       * The templates that occur among the objects.
       */
      TEMPLATES: Template[]
      /**
       * The vaults in which they lie.
       */
      VAULTS: Vault[]
    }
  }
  /**
   * Find objects by their name and open fields. Needs a session.
   *
   * It looks in every vault that is shared with the caller. Encrypted fields are not searched, and of an object with more than 16,384 characters of open fields the last of its longest ones are not.
   */
  'object.find.path': {
    params: {
      /**
       * Text to look for, in upper or lower case.
       */
      needle: string
    }
    answer: Envelope & {
      /**
       * The objects that hold it, without encrypted fields.
       */
      OBJECT: Object[]
      /**
       * The templates that occur among the objects.
       */
      TEMPLATES: Template[]
      /**
       * The vaults in which they lie.
       */
      VAULTS: Vault[]
    }
  }
  /**
   * List the key types and what this token can do of them. Needs a session.
   */
  'transparent.types': {
    answer: Envelope & {
      /**
       * The key types.
       */
      TYPES: KeyType[]
    }
  }
  /**
   * List the keys of a vault. Needs a session of a member of the vault, with Read or more. Listing deleted keys needs Admin. A member whose rights are narrowed needs grants for read.
   *
   * In pages of 1,000: the last page has fewer.
   */
  'transparent.key.list': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
    }
    query: {
      /**
       * Name after which the page begins: the last one of the page before. The first page when absent.
       */
      after?: string
      /**
       * Whether to tell more, as a page for people shows it.
       */
      details?: boolean | ('true' | 'false')
      /**
       * Whether to list the deleted keys that can still be taken back.
       */
      deleted?: boolean | ('true' | 'false')
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Where `details` asks for it: the seconds for which a key can be taken back after it was deleted.
         */
        recovery_window?: string
        /**
         * Likewise: as `transparent.settings` says of the vault.
         */
        create_on_encrypt?: boolean
        /**
         * Likewise.
         */
        signing_permission?: 'Read' | 'Write' | 'Admin'
        /**
         * Likewise.
         */
        strict?: boolean
      }
    } & {
      /**
       * The keys, by their names.
       *
       * @maxItems 1000
       */
      KEYS: {
        /**
         * Name of the key, unique in its vault.
         */
        name: string
        /**
         * Latest version, as text.
         */
        key_version: string
        /**
         * Key type.
         */
        type:
          | 'aes128-gcm96'
          | 'aes256-gcm96'
          | 'aes128-ctr'
          | 'aes256-ctr'
          | 'aes128-ofb'
          | 'aes256-ofb'
          | 'hmac-sha256'
          | 'ecdsa-p256'
          | 'ecdsa-p384'
          | 'ed25519'
          | 'rsa-2048'
          | 'rsa-3072'
          | 'rsa-4096'
        /**
         * Whether it can be backed up.
         */
        allow_backup: 'true' | 'false'
        /**
         * Whether an Admin can export it.
         */
        allow_export: 'true' | 'false'
        /**
         * Whether an Admin can export it in the open as well.
         */
        allow_plaintext_export: 'true' | 'false'
        /**
         * Whether it can be deleted.
         */
        allow_delete: 'true' | 'false'
        /**
         * Whether it signs.
         */
        supports_signing: 'true' | 'false'
        /**
         * What it is for.
         */
        info: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * `database` the key lies wrapped in the database, `token` it is an object of the token: slower to use, and neither exported nor backed up.
         */
        residency: 'database' | 'token'
        /**
         * First version that was not trimmed.
         */
        oldest_version: string
        /**
         * First version that may still encrypt, sign and make HMACs.
         */
        min_encryption_version: string
        /**
         * First version that may still decrypt and verify.
         */
        min_decryption_version: string
        /**
         * Seconds after which it gets a new version by itself, 0 for never.
         */
        auto_rotate_period: string
        /**
         * Where `details` asks for it: when the latest version was made. UTC.
         */
        latest_created?: string
        /**
         * Encryptions by this version that are reserved, no fewer than were made; of key types that encrypt.
         */
        encryptions?: string
        /**
         * How many are safe; at nine tenths of them the key is rotated by itself.
         */
        max_encryptions?: string
        /**
         * Of a deleted key: when that was. UTC.
         */
        deleted?: string
        /**
         * Of a deleted key: until when it can be taken back. UTC.
         */
        destroyed?: string
      }[]
    }
  }
  /**
   * Create a key. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   *
   * The key is made in the token and never leaves it unwrapped, but where `allow_plaintext_export` says so.
   */
  'transparent.key.create': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * Key type: `aes128-gcm96`, `aes256-gcm96`, `aes128-ctr`, `aes256-ctr`, `aes128-ofb`, `aes256-ofb`, `hmac-sha256`, `ecdsa-p256`, `ecdsa-p384`, `ed25519`, `rsa-2048`, `rsa-3072`, `rsa-4096`. `GET /transparent/types` says what each can do here.
       */
      type?: string
      /**
       * What the key is for, in your words.
       */
      info?: string
      /**
       * `database` the key lies wrapped in the database, `token` it is an object of the token: slower to use, and neither exported nor backed up.
       */
      residency?: 'database' | 'token'
      /**
       * Whether an Admin can export it, wrapped to a public key.
       */
      allow_export?: boolean | ('true' | 'false')
      /**
       * Whether an Admin can export it in the open as well.
       */
      allow_plaintext_export?: boolean | ('true' | 'false')
      /**
       * Whether it can be backed up. When absent as the appliance is set up, but not with residency `token`.
       */
      allow_backup?: boolean | ('true' | 'false')
      /**
       * Whether it can be deleted.
       */
      allow_delete?: boolean | ('true' | 'false')
      /**
       * Seconds after which the key gets a new version by itself: 0 never, or 3600 to 315360000 (ten years).
       */
      auto_rotate_period?: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
      }
    }
  }
  /**
   * Read what is known of a key. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for read.
   */
  'transparent.key.read': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    query: {
      /**
       * Whether to tell more, as a page for people shows it.
       */
      details?: boolean | ('true' | 'false')
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Latest version of the key, as text.
         */
        version: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Where `details` asks for it: the seconds for which a key can be taken back after it was deleted.
         */
        recovery_window?: string
        /**
         * Likewise: as `transparent.settings` says of the vault.
         */
        create_on_encrypt?: boolean
        /**
         * Likewise.
         */
        signing_permission?: 'Read' | 'Write' | 'Admin'
        /**
         * Likewise.
         */
        strict?: boolean
      }
    } & {
      /**
       * The key.
       *
       * @minItems 1
       * @maxItems 1
       */
      KEYS: Key[]
      /**
       * Its versions that were not trimmed, the oldest first.
       */
      VERSIONS: KeyVersion[]
    }
  }
  /**
   * Change flags and limits of a key. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   *
   * It changes what is given and leaves the rest.
   */
  'transparent.key.update': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * What the key is for, in your words.
       */
      info?: string
      /**
       * Whether an Admin can export it: can be turned off, never on.
       */
      allow_export?: boolean | ('true' | 'false')
      /**
       * Whether it can be backed up: can be turned off, never on.
       */
      allow_backup?: boolean | ('true' | 'false')
      /**
       * Whether it can be deleted.
       */
      allow_delete?: boolean | ('true' | 'false')
      /**
       * Seconds after which the key gets a new version by itself: 0 never, or 3600 to 315360000 (ten years).
       */
      auto_rotate_period?: number | string
      /**
       * First version that may encrypt, sign and make HMACs.
       */
      min_encryption_version?: number | string
      /**
       * First version that may decrypt and verify.
       */
      min_decryption_version?: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
      }
    } & {
      /**
       * The key.
       *
       * @minItems 1
       * @maxItems 1
       */
      KEYS: Key[]
    }
  }
  /**
   * Delete a key; an Admin can take it back for a while. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * Every use of the key ends at once. Until its recovery window has passed (the setting `keys.recoveryWindowMs`) it can be taken back; then it is destroyed with all that it encrypted.
   */
  'transparent.key.delete': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
      }
    }
  }
  /**
   * Take a deleted key back. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * With all its versions, as long as its recovery window has not passed.
   */
  'transparent.key.takeback': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
      }
    }
  }
  /**
   * Give a key a new version. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   *
   * New data is encrypted with the new version; what older versions encrypted can still be decrypted.
   */
  'transparent.key.rotate': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Latest version of the key, as text.
         */
        key_version: string
      }
    }
  }
  /**
   * Destroy old versions of a key. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * What the destroyed versions encrypted is lost for good: rewrap it before.
   */
  'transparent.key.trim': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * Oldest version to keep.
       */
      min_available_version: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Oldest version that remains, as text.
         */
        oldest_version: string
      }
    }
  }
  /**
   * Disable or enable one version of a key. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   */
  'transparent.key.version': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
      /**
       * Version of the key, from 1.
       */
      version: number | string
    }
    body: {
      /**
       * Whether it may be used from now on.
       */
      enabled: boolean | ('true' | 'false')
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * The version, as text.
         */
        key_version: string
        /**
         * Whether it may be used now.
         */
        enabled: boolean
      }
    }
  }
  /**
   * Set how the keys of a vault may be made and used. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * It changes what is given, leaves the rest, and answers with all.
   */
  'transparent.settings': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
    }
    body: {
      /**
       * Whether encrypting with a name that no key has makes the key. That is the default of a new vault.
       */
      create_on_encrypt?: boolean | ('true' | 'false')
      /**
       * Permission that signing needs, and those above it. Write in a new vault.
       */
      signing_permission?: 'Read' | 'Write' | 'Admin'
      /**
       * Whether calls about this vault that have a member which the interface does not know are refused, and no key is made on first use, whatever `create_on_encrypt` says.
       */
      strict?: boolean | ('true' | 'false')
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Whether encrypting with a name that no key has makes the key.
         */
        create_on_encrypt: boolean
        /**
         * Permission that signing needs.
         */
        signing_permission: 'Read' | 'Write' | 'Admin'
        /**
         * Whether calls with unknown members are refused.
         */
        strict: boolean
      }
    }
  }
  /**
   * Encrypt data with a named key. Needs a session of a member of the vault, with Read or more. Making a key that the vault does not have needs Write. A member whose rights are narrowed needs grants for encrypt.
   *
   * A key that is missing is made, of `type`, unless the vault has that turned off. `batch_input` in place of `plaintext` encrypts many at once: faults then stand with the items, and the status is that of a success.
   */
  'transparent.encrypt': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * The data to encrypt; the limit of the body limits its length. Base64 with padding.
       */
      plaintext?: string
      /**
       * Additional authenticated data: not encrypted, and needed in the same form to decrypt. Key types without authentication (`ctr`, `ofb`) refuse it. None when absent or empty. Base64 with padding.
       */
      aad?: string
      /**
       * Version of the key: the latest when absent.
       */
      key_version?: number | string
      /**
       * Key type: `aes128-gcm96`, `aes256-gcm96`, `aes128-ctr`, `aes256-ctr`, `aes128-ofb`, `aes256-ofb`, `hmac-sha256`, `ecdsa-p256`, `ecdsa-p384`, `ed25519`, `rsa-2048`, `rsa-3072`, `rsa-4096`. `GET /transparent/types` says what each can do here.
       */
      type?: string
      /**
       * Many at once, in place of the members of one: 1000 at most. One that fails does not keep the others.
       *
       * @minItems 1
       * @maxItems 1000
       */
      batch_input?: {
        /**
         * The data to encrypt; the limit of the body limits its length. Base64 with padding.
         */
        plaintext: string
        /**
         * Additional authenticated data: not encrypted, and needed in the same form to decrypt. Key types without authentication (`ctr`, `ofb`) refuse it. None when absent or empty. Base64 with padding.
         */
        aad?: string
        /**
         * Version of the key: the latest when absent.
         */
        key_version?: number | string
        /**
         * Any text of the client: the result of the item carries it.
         */
        reference?: string
      }[]
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?:
        | {
            /**
             * Version of the key that was used, as text.
             */
            key_version: string
            /**
             * The ciphertext: `service:v`, the key version, a colon, and base64 of IV, encrypted data and, of GCM, the tag (IV of 12 bytes and tag of 16 of GCM; IV of 16 bytes of CTR and OFB).
             */
            ciphertext: string
            /**
             * Name of the key.
             */
            name: string
            /**
             * Id of the key; empty where it was not made because every item failed.
             */
            objectid: string
            /**
             * Key type.
             */
            type:
              | 'aes128-gcm96'
              | 'aes256-gcm96'
              | 'aes128-ctr'
              | 'aes256-ctr'
              | 'aes128-ofb'
              | 'aes256-ofb'
              | 'hmac-sha256'
              | 'ecdsa-p256'
              | 'ecdsa-p384'
              | 'ed25519'
              | 'rsa-2048'
              | 'rsa-3072'
              | 'rsa-4096'
          }
        | {
            /**
             * Name of the key.
             */
            name: string
            /**
             * Id of the key; empty where it was not made because every item failed.
             */
            objectid: string
            /**
             * Key type.
             */
            type:
              | 'aes128-gcm96'
              | 'aes256-gcm96'
              | 'aes128-ctr'
              | 'aes256-ctr'
              | 'aes128-ofb'
              | 'aes256-ofb'
              | 'hmac-sha256'
              | 'ecdsa-p256'
              | 'ecdsa-p384'
              | 'ed25519'
              | 'rsa-2048'
              | 'rsa-3072'
              | 'rsa-4096'
            /**
             * A result for each item, in the order of the items.
             *
             * @maxItems 1000
             */
            batch_results: (
              | {
                  /**
                   * Version of the key that was used, as text.
                   */
                  key_version: string
                  /**
                   * The ciphertext: `service:v`, the key version, a colon, and base64 of IV, encrypted data and, of GCM, the tag (IV of 12 bytes and tag of 16 of GCM; IV of 16 bytes of CTR and OFB).
                   */
                  ciphertext: string
                  /**
                   * The text that the client gave the item.
                   */
                  reference?: string
                }
              | {
                  error: ItemError
                  /**
                   * The text that the client gave the item.
                   */
                  reference?: string
                }
            )[]
          }
    }
  }
  /**
   * Decrypt what a named key has encrypted. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for decrypt.
   *
   * The ciphertext says which version of the key made it. `batch_input` in place of `ciphertext` decrypts many at once: faults then stand with the items, and the status is that of a success.
   */
  'transparent.decrypt': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * A ciphertext of this key, as the call that made it answered: `service:v1:…`.
       */
      ciphertext?: string
      /**
       * Additional authenticated data as it was when the ciphertext was made. Base64 with padding.
       */
      aad?: string
      /**
       * Many at once, in place of the members of one: 1000 at most. One that fails does not keep the others.
       *
       * @minItems 1
       * @maxItems 1000
       */
      batch_input?: {
        /**
         * A ciphertext of this key, as the call that made it answered: `service:v1:…`.
         */
        ciphertext: string
        /**
         * Additional authenticated data as it was when the ciphertext was made. Base64 with padding.
         */
        aad?: string
        /**
         * Any text of the client: the result of the item carries it.
         */
        reference?: string
      }[]
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?:
        | {
            /**
             * The data. Base64 with padding.
             */
            plaintext: string
            /**
             * Version of the key that was used, as text.
             */
            key_version: string
            /**
             * Name of the key.
             */
            name: string
            /**
             * Id of the key. Decimal digits.
             */
            objectid: string
          }
        | {
            /**
             * Name of the key.
             */
            name: string
            /**
             * Id of the key. Decimal digits.
             */
            objectid: string
            /**
             * A result for each item, in the order of the items.
             *
             * @maxItems 1000
             */
            batch_results: (
              | {
                  /**
                   * The data. Base64 with padding.
                   */
                  plaintext: string
                  /**
                   * The text that the client gave the item.
                   */
                  reference?: string
                }
              | {
                  error: ItemError
                  /**
                   * The text that the client gave the item.
                   */
                  reference?: string
                }
            )[]
          }
    }
  }
  /**
   * Encrypt a ciphertext again under another version of its key. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for rewrap.
   *
   * The plaintext does not leave the boundary of the token. After a rotation it brings stored ciphertexts to the new version.
   */
  'transparent.rewrap': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * A ciphertext of this key, as the call that made it answered: `service:v1:…`.
       */
      ciphertext?: string
      /**
       * Additional authenticated data as it was when the ciphertext was made; the new one is bound to the same. Base64 with padding.
       */
      aad?: string
      /**
       * Version of the key to encrypt with: the latest when absent.
       */
      to_version?: number | string
      /**
       * Many at once, in place of the members of one: 1000 at most. One that fails does not keep the others.
       *
       * @minItems 1
       * @maxItems 1000
       */
      batch_input?: {
        /**
         * A ciphertext of this key, as the call that made it answered: `service:v1:…`.
         */
        ciphertext: string
        /**
         * Additional authenticated data as it was when the ciphertext was made; the new one is bound to the same. Base64 with padding.
         */
        aad?: string
        /**
         * Version of the key to encrypt with: the latest when absent.
         */
        to_version?: number | string
        /**
         * Any text of the client: the result of the item carries it.
         */
        reference?: string
      }[]
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?:
        | {
            /**
             * Version of the key that was used, as text.
             */
            key_version: string
            /**
             * The ciphertext: `service:v`, the key version, a colon, and base64 of IV, encrypted data and, of GCM, the tag (IV of 12 bytes and tag of 16 of GCM; IV of 16 bytes of CTR and OFB).
             */
            ciphertext: string
            /**
             * Name of the key.
             */
            name: string
            /**
             * Id of the key. Decimal digits.
             */
            objectid: string
          }
        | {
            /**
             * Name of the key.
             */
            name: string
            /**
             * Id of the key. Decimal digits.
             */
            objectid: string
            /**
             * A result for each item, in the order of the items.
             *
             * @maxItems 1000
             */
            batch_results: (
              | {
                  /**
                   * Version of the key that was used, as text.
                   */
                  key_version: string
                  /**
                   * The ciphertext: `service:v`, the key version, a colon, and base64 of IV, encrypted data and, of GCM, the tag (IV of 12 bytes and tag of 16 of GCM; IV of 16 bytes of CTR and OFB).
                   */
                  ciphertext: string
                  /**
                   * The text that the client gave the item.
                   */
                  reference?: string
                }
              | {
                  error: ItemError
                  /**
                   * The text that the client gave the item.
                   */
                  reference?: string
                }
            )[]
          }
    }
  }
  /**
   * Make a data key under a named key. Needs a session of a member of the vault, with Read or more. A data key in the open needs Write. A member whose rights are narrowed needs grants for datakey.
   *
   * For data of any size that the application encrypts itself.
   */
  'transparent.datakey': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
      /**
       * `wrapped` the data key only in encrypted form, `plaintext` also in the open.
       */
      type: 'plaintext' | 'wrapped'
    }
    body: {
      /**
       * Length of the data key in bits: 128, 256 or 512.
       */
      bits?: (128 | 256 | 512) | ('128' | '256' | '512')
      /**
       * Version of the key: the latest when absent.
       */
      key_version?: number | string
      /**
       * Additional authenticated data: not encrypted, and needed in the same form to decrypt. Key types without authentication (`ctr`, `ofb`) refuse it. None when absent or empty. Base64 with padding.
       */
      aad?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Version of the key that was used, as text.
         */
        key_version: string
        /**
         * The data key, encrypted: keep it with the data; `decrypt` opens it.
         */
        ciphertext: string
        /**
         * The data key in the open, where `type` is `plaintext`: forget it after use. Base64 with padding.
         */
        plaintext?: string
      }
    }
  }
  /**
   * Sign data with a named key. Needs a session of a member of the vault, with Read or more. Signing needs what the vault sets as `signing_permission`, Write in a new vault. A member whose rights are narrowed needs grants for sign.
   */
  'transparent.sign': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * The data, or its hash where `prehashed` says so. Base64 with padding.
       */
      input: string
      /**
       * Whether `input` is the hash of the data already.
       */
      prehashed?: boolean | ('true' | 'false')
      /**
       * The hash algorithm. When absent SHA-256, but SHA-384 with `ecdsa-p384` and SHA-512 with `ed25519`.
       */
      hash_algorithm?: 'sha2-256' | 'sha2-384' | 'sha2-512'
      /**
       * Of RSA keys: the padding. `pss` when absent.
       */
      signature_algorithm?: 'pss' | 'pkcs1v15'
      /**
       * Of ECDSA: how r and s are written, `asn1` as DER or `jws` one after the other (RFC 7518 §3.4).
       */
      marshaling_algorithm?: 'asn1' | 'jws'
      /**
       * Version of the key: the latest when absent.
       */
      key_version?: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Version of the key that was used, as text.
         */
        key_version: string
        /**
         * The signature: `service:v`, the key version, a colon, and base64.
         */
        signature: string
      }
    }
  }
  /**
   * Verify a signature or an HMAC. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for verify.
   *
   * Say the same of hash, padding and form as when it was signed.
   */
  'transparent.verify': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * The data, or its hash where `prehashed` says so. Base64 with padding.
       */
      input: string
      /**
       * Whether `input` is the hash of the data already.
       */
      prehashed?: boolean | ('true' | 'false')
      /**
       * The hash algorithm. When absent SHA-256, but SHA-384 with `ecdsa-p384` and SHA-512 with `ed25519`.
       */
      hash_algorithm?: 'sha2-256' | 'sha2-384' | 'sha2-512'
      /**
       * Of RSA keys: the padding. `pss` when absent.
       */
      signature_algorithm?: 'pss' | 'pkcs1v15'
      /**
       * Of ECDSA: how r and s are written, `asn1` as DER or `jws` one after the other (RFC 7518 §3.4).
       */
      marshaling_algorithm?: 'asn1' | 'jws'
      /**
       * A signature, as `sign` answered it.
       */
      signature?: string
      /**
       * An HMAC, as `hmac` answered it.
       */
      hmac?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Version of the key that was used, as text.
         */
        key_version: string
        /**
         * Whether it is good. A wrong one is not an error of the call.
         */
        valid: boolean
      }
    }
  }
  /**
   * Make an HMAC with a named key. Needs a session of a member of the vault, with Read or more. A member whose rights are narrowed needs grants for hmac.
   *
   * HMAC-SHA-256 with a key of type `hmac-sha256`. `verify` checks it.
   */
  'transparent.hmac': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * The data. Base64 with padding.
       */
      input: string
      /**
       * Version of the key: the latest when absent.
       */
      key_version?: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Version of the key that was used, as text.
         */
        key_version: string
        /**
         * The HMAC: `service:v`, the key version, a colon, and base64.
         */
        hmac: string
      }
    }
  }
  /**
   * Draw random bytes from the token. Needs a session. A service account needs grants for random in one of its vaults.
   */
  'transparent.random': {
    body: {
      /**
       * How many bytes, 1 to 65536.
       */
      bytes?: number | string
      /**
       * How the answer writes bytes.
       */
      format?: 'base64' | 'hex'
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The bytes, in `format`.
         */
        random_bytes: string
      }
    }
  }
  /**
   * Hash data. Needs a session.
   */
  'transparent.hash': {
    body: {
      /**
       * The data. Base64 with padding.
       */
      input: string
      /**
       * The hash algorithm.
       */
      algorithm?: 'sha2-256' | 'sha2-384' | 'sha2-512'
      /**
       * How the answer writes bytes.
       */
      format?: 'base64' | 'hex'
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * The hash, in `format`.
         */
        sum: string
      }
    }
  }
  /**
   * Back up a key. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * With all its versions and flags. It can be restored on appliances that have the same backup keys.
   */
  'transparent.backup': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Latest version of the key, as text.
         */
        version: string
      }
    } & {
      /**
       * What was backed up.
       */
      KEYS: {
        /**
         * The backup: encrypted, for the call that restores it. Base64 with padding.
         */
        backup: string
      }
    }
  }
  /**
   * Restore a key with all its versions from its backup. Needs a session of a member of the vault, with Write or more. `force` needs Admin. A member whose rights are narrowed by grants is refused.
   *
   * Into the vault of the path, under the name of the path. A backup of another vault needs Admin there too.
   */
  'transparent.restore': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * `KEYS.backup` of the call that backed the key up. Base64 with padding.
       */
      backup: string
      /**
       * Whether to replace a key of this name.
       */
      force?: boolean | ('true' | 'false')
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Latest version of the key, as text.
         */
        key_version: string
      }
    }
  }
  /**
   * Export an exportable key. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * Wrapped to `public_key`; without it in the open, where the key was created with `allow_plaintext_export`.
   */
  'transparent.export': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    query: {
      /**
       * RSA public key of 2048 to 8192 bits to wrap the key to: PEM, or base64 of DER SubjectPublicKeyInfo.
       */
      public_key?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Latest version of the key, as text.
         */
        version: string
      }
    } & {
      /**
       * Its versions, or the one that was asked for.
       */
      KEYS: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * The version, as text.
         */
        key_version: string
        /**
         * Key type.
         */
        type:
          | 'aes128-gcm96'
          | 'aes256-gcm96'
          | 'aes128-ctr'
          | 'aes256-ctr'
          | 'aes128-ofb'
          | 'aes256-ofb'
          | 'hmac-sha256'
          | 'ecdsa-p256'
          | 'ecdsa-p384'
          | 'ed25519'
          | 'rsa-2048'
          | 'rsa-3072'
          | 'rsa-4096'
        /**
         * The key, wrapped to `public_key`, where the call gave one: RSA-OAEP with SHA-1, then AES-KWP. Base64 with padding.
         */
        wrapped_key?: string
        /**
         * The key in the open, where the call gave no `public_key`. Base64 with padding.
         */
        key?: string
      }[]
    }
  }
  /**
   * Export an exportable key. Needs a session of a member of the vault, with Admin or more. A member whose rights are narrowed by grants is refused.
   *
   * Wrapped to `public_key`; without it in the open, where the key was created with `allow_plaintext_export`.
   */
  'transparent.export.version': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
      /**
       * Version of the key, from 1.
       */
      version: number | string
    }
    query: {
      /**
       * RSA public key of 2048 to 8192 bits to wrap the key to: PEM, or base64 of DER SubjectPublicKeyInfo.
       */
      public_key?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
        /**
         * Latest version of the key, as text.
         */
        version: string
      }
    } & {
      /**
       * Its versions, or the one that was asked for.
       */
      KEYS: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * The version, as text.
         */
        key_version: string
        /**
         * Key type.
         */
        type:
          | 'aes128-gcm96'
          | 'aes256-gcm96'
          | 'aes128-ctr'
          | 'aes256-ctr'
          | 'aes128-ofb'
          | 'aes256-ofb'
          | 'hmac-sha256'
          | 'ecdsa-p256'
          | 'ecdsa-p384'
          | 'ed25519'
          | 'rsa-2048'
          | 'rsa-3072'
          | 'rsa-4096'
        /**
         * The key, wrapped to `public_key`, where the call gave one: RSA-OAEP with SHA-1, then AES-KWP. Base64 with padding.
         */
        wrapped_key?: string
        /**
         * The key in the open, where the call gave no `public_key`. Base64 with padding.
         */
        key?: string
      }[]
    }
  }
  /**
   * Prepare the import of a key that was made elsewhere. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   *
   * Wrap the key to the public key of the job: RSA-OAEP with SHA-1 of an AES key, then AES-KWP (RFC 5649) of the key, one after the other. Check the signature first, so that no third party gets the key.
   */
  'transparent.import.job': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * Key type: `aes128-gcm96`, `aes256-gcm96`, `aes128-ctr`, `aes256-ctr`, `aes128-ofb`, `aes256-ofb`, `hmac-sha256`, `ecdsa-p256`, `ecdsa-p384`, `ed25519`, `rsa-2048`, `rsa-3072`, `rsa-4096`. `GET /transparent/types` says what each can do here.
       */
      type?: string
      /**
       * What the key is for, in your words.
       */
      info?: string
      /**
       * `database` the key lies wrapped in the database, `token` it is an object of the token: slower to use, and neither exported nor backed up.
       */
      residency?: 'database' | 'token'
      /**
       * Whether an Admin can export it, wrapped to a public key.
       */
      allow_export?: boolean | ('true' | 'false')
      /**
       * Whether an Admin can export it in the open as well.
       */
      allow_plaintext_export?: boolean | ('true' | 'false')
      /**
       * Whether it can be backed up. When absent as the appliance is set up, but not with residency `token`.
       */
      allow_backup?: boolean | ('true' | 'false')
      /**
       * Whether it can be deleted.
       */
      allow_delete?: boolean | ('true' | 'false')
      /**
       * Seconds after which the key gets a new version by itself: 0 never, or 3600 to 315360000 (ten years).
       */
      auto_rotate_period?: number | string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the job, for the call that imports. Good for one import of this key.
         */
        job: string
        /**
         * RSA public key to wrap the key to. PEM.
         */
        public_key: string
        /**
         * The same as DER SubjectPublicKeyInfo. Base64 with padding.
         */
        public_key_der: string
        /**
         * All that the job fixes, and its public key: JSON, as it was signed.
         */
        statement: string
        /**
         * Signature of the statement by the audit key: ECDSA over SHA-256, DER. Base64 with padding.
         */
        signature: string
        /**
         * The audit key: compare it with the one that the operator gave you. PEM.
         */
        signer: string
        /**
         * When the job ends. UTC.
         */
        expires: string
      }
    }
  }
  /**
   * Import a key that was made elsewhere. Needs a session of a member of the vault, with Write or more. A member whose rights are narrowed by grants is refused.
   */
  'transparent.import': {
    params: {
      /**
       * Id of the vault, as `GET /vault` lists it. Decimal digits.
       */
      vaultid: string | number
      /**
       * Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.
       */
      name: string
    }
    body: {
      /**
       * Id of the import job. The one of this key when absent.
       */
      job?: string
      /**
       * The key, wrapped to the public key of the job: RSA-OAEP with SHA-1, then AES-KWP. Base64 with padding.
       */
      wrapped_key: string
      /**
       * Of a pair: its public key, DER SubjectPublicKeyInfo. Base64 with padding.
       */
      public_key?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the key.
         */
        name: string
        /**
         * Id of the key. Decimal digits.
         */
        objectid: string
      }
    }
  }
  /**
   * Read records of the audit trail of this machine, newest first. Needs a session. The user needs the capability audit.
   *
   * Of the vaults that are shared with the caller, and of administrators. It reads a bounded part of the trail: a page may hold fewer records than asked for, or none, and still name a next one.
   */
  'audit.list': {
    query: {
      /**
       * Only records from this time on, such as 2026-10-01T14:30:00Z.
       */
      since?: string
      /**
       * Only records before this time.
       */
      until?: string
      /**
       * Login name or id of a user.
       */
      user?: string
      /**
       * Id of a vault.
       */
      vaultid?: string
      /**
       * Name of a key.
       */
      key?: string
      /**
       * What else the records are about, such as `object 7`; subjects that go on after a colon are found too: `object 7: password`.
       */
      subject?: string
      /**
       * An operation, or its beginning and a star: `transparent.*`.
       */
      operation?: string
      /**
       * `allowed`, `noted`, `refused` for every refusal, or the code of a fault.
       */
      outcome?: string
      /**
       * Most records of the page, 1 to 100.
       */
      limit?: string
      /**
       * `CALLINFO.next` of the page before.
       */
      next?: string
    }
    answer: Envelope & {
      /**
       * What the call answers, beside the members of every answer.
       */
      CALLINFO?: {
        /**
         * Name of the machine whose trail this is (the setting `audit.machine`); empty where it has none.
         */
        machine: string
        /**
         * What to send as `next` for the next page; absent where nothing is left.
         */
        next?: string
      }
    } & {
      /**
       * The records, the newest first.
       *
       * @maxItems 100
       */
      RECORDS: AuditRecord[]
    }
  }
  /**
   * Read this document. Anyone may call this.
   */
  'docs.openapi': {
    answer: unknown
  }
  /**
   * Read this document in a browser. Anyone may call this.
   */
  'docs.page': {
    answer: unknown
  }
}
/**
 * What every answer holds.
 */
export interface Envelope {
  CALLINFO: Callinfo
  /**
   * What was sent, and `token` as it was supplied; an empty array when that is nothing.
   */
  DATA:
    | {
        [k: string]: unknown
      }
    | unknown[]
  /**
   * The headers of the request, except credentials.
   */
  HEADERS: {
    [k: string]: unknown
  }
  /**
   * Always empty.
   *
   * @maxItems 0
   */
  PARAMS: unknown[]
}
/**
 * What became of the call.
 */
export interface Callinfo {
  /**
   * Whether the call did what it was to do.
   */
  status: 'SUCCESS' | 'FAIL'
  /**
   * Name of the handler that served the call.
   */
  handler: string
  /**
   * Whether ERRORS exists: 1 or 0.
   */
  errors: 0 | 1
  /**
   * Whether ERRORCODES exists: 1 or 0.
   */
  errorcodes: 0 | 1
  /**
   * What else there is to say, in sentences for people; mostly empty.
   */
  general: string[]
  /**
   * The session token for the next call; absent where there is no session.
   */
  token?: string
}
/**
 * An open session of a user.
 */
export interface Session {
  /**
   * Id of the session, for the call that ends it. Decimal digits.
   */
  id: string
  /**
   * IP address that logged in.
   */
  address: string
  /**
   * Name of the application key that logged in.
   */
  application: string
  /**
   * When it logged in. UTC.
   */
  created: string
  /**
   * When it last made a call; not every call is noted. UTC.
   */
  last_seen: string
  /**
   * Whether it is the session of this call.
   */
  current: boolean
}
/**
 * An OTP device, without its secrets.
 */
export interface OtpDevice {
  /**
   * Id of the device. Decimal digits.
   */
  id: string
  /**
   * `totp` an authenticator app (RFC 6238), `hotp` a token that counts (RFC 4226), `hwkey_otp` a hardware token that types 44 characters.
   */
  kind: 'totp' | 'hotp' | 'hwkey_otp'
  /**
   * Of a hardware token: the first 12 characters of each of its OTPs.
   */
  public_id?: string
  /**
   * Of an app or HOTP token: the hash of its codes.
   */
  algorithm?: 'sha1' | 'sha256' | 'sha512'
  /**
   * Of an app or HOTP token: how many digits a code has, as text.
   */
  digits?: string
  /**
   * Of an app: seconds for which a code is shown, as text.
   */
  period?: string
  /**
   * When the appliance got to know it. UTC.
   */
  created: string
  /**
   * When it was last used for a login. UTC.
   */
  used?: string
}
/**
 * A user, as administrators see it.
 */
export interface User {
  /**
   * Id of the user. Decimal digits.
   */
  id: string
  /**
   * Full name.
   */
  fullname: string
  /**
   * E-mail address.
   */
  email: string
  /**
   * Login name.
   */
  username: string
  /**
   * Capabilities of the user. A bitmap as decimal text, whose bits `GET /utils/statusvalues` names.
   */
  status: string
  /**
   * Public ids of the hardware tokens of the user, 12 characters each, with commas between; empty for none.
   */
  otpprefix: string
  /**
   * Fingerprint of the public key of the user: 40 hexadecimal digits.
   */
  fingerprint: string
  /**
   * Always empty.
   *
   * @maxItems 0
   *
   * Items: A tag.
   */
  tags: string[]
  /**
   * The bits of `status` that are set: their names by their numbers.
   */
  bits: {
    /**
     * Name of the capability.
     */
    [k: string]: string
  }
}
/**
 * A user, as users who may create vaults see it.
 */
export interface PublicUser {
  /**
   * Id of the user. Decimal digits.
   */
  id: string
  /**
   * Full name.
   */
  fullname: string
  /**
   * E-mail address.
   */
  email: string
}
/**
 * A passkey of a user.
 */
export interface Passkey {
  /**
   * Id of the passkey. Decimal digits.
   */
  id: string
  /**
   * What the user calls it.
   */
  name: string
  /**
   * Id of the credential. Base64url.
   */
  credential: string
  /**
   * When it was registered. UTC.
   */
  created: string
  /**
   * When it was last used. UTC.
   */
  used?: string
}
/**
 * A vault, as one of its members sees it.
 */
export interface Vault {
  /**
   * Id of the vault. Decimal digits.
   */
  id: string
  /**
   * Name of the vault.
   */
  groupname: string
  /**
   * Id of the password policy for what lies in the vault. Decimal digits.
   */
  policy: string
  /**
   * What the vault is for.
   */
  description: string
  /**
   * Permission of the caller in the vault: 1 Read, 2 Write, 4 Admin.
   */
  status: '1' | '2' | '4'
  /**
   * The same in a word.
   */
  statustext: 'Read' | 'Write' | 'Admin'
  /**
   * How many earlier versions of each object are kept, as text; absent where it is 10.
   */
  history?: string
  /**
   * What narrows Read of the caller; absent where nothing does.
   */
  grants?: (
    | {
        /**
         * Which keys: a name, in which each * stands for any number of characters. 1 to 128 letters, digits and _ . - and *, of which 8 at most.
         */
        keys: string
        /**
         * What may be done with them. read: their public part and metadata, and their place in lists.
         */
        operations: ('encrypt' | 'decrypt' | 'rewrap' | 'sign' | 'verify' | 'hmac' | 'datakey' | 'random' | 'read')[]
        /**
         * Base64 of 1 to 256 bytes with which the additional data (aad) of each item have to begin.
         */
        aad?: string
        /**
         * Items a day (UTC) at most, 1 to 1000000000; absent for any number.
         */
        daily?: number
        /**
         * Whether calls by this entry that have a member which the interface does not know are refused.
         */
        strict?: boolean
      }
    | {
        /**
         * What may be done: `list` find objects and list them, with their open fields; `read` read one without its secrets; `decrypt` its encrypted fields and its file.
         */
        objects: ('list' | 'read' | 'decrypt')[]
      }
  )[]
}
/**
 * A secret or file in a vault, or a folder.
 */
export interface Object {
  /**
   * Id of the object. Decimal digits.
   */
  id: string
  /**
   * Id of the object in which it lies, 0 in the root of the vault. Decimal digits.
   */
  parentid: string
  /**
   * Id of its template. Decimal digits.
   */
  templateid: string
  /**
   * Id of its vault. Decimal digits.
   */
  groupid: string
  /**
   * A bitmap: 32 decrypting raises an alarm, 128 always, 1024 a value breaks the policy of the vault.
   */
  status: string
  /**
   * Its name.
   */
  objectname: string
  /**
   * Name of its file; empty for what is not a file.
   */
  filename: string
  /**
   * How many objects lie in it, as text.
   */
  children: string
  /**
   * Grows with each change of the object, as text: `ifVersion` of an edit names it.
   */
  version: string
  /**
   * Always false; published clients read it.
   */
  notes: false | string
  /**
   * Always empty; published clients read it.
   */
  tags: string
  /**
   * A sentence where decrypting the object raises an alarm, else false.
   */
  alarmed: false | string
  /**
   * The fields of its template that are not encrypted, by name.
   */
  public: {
    /**
     * Value of the field.
     */
    [k: string]: string
  }
  /**
   * Present if the list is too long with `public`, or another call changed this object while the list was made: then `public` is empty, and has to be read with the object by itself.
   */
  abridged?: true
  /**
   * The encrypted fields in the open, by name: where the call asked for them with `decrypt`.
   */
  crypted?: {
    /**
     * Value of the field.
     */
    [k: string]: string
  }
  /**
   * Its file; absent for what is not a file.
   */
  fileinfo?: {
    /**
     * Id of the object. Decimal digits.
     */
    objectid: string
    /**
     * Name of the file.
     */
    name: string
    /**
     * Its length in bytes, as text.
     */
    size: string
    /**
     * Its media type.
     */
    type: string
    /**
     * Always empty; published clients read it.
     */
    filepath: string
    /**
     * When it was uploaded: UTC, as `YYYY-MM-DD hh:mm:ss`.
     */
    created: string
    /**
     * Extension of its name, without the dot.
     */
    ext: string
    /**
     * Always empty; published clients read it.
     */
    iconpath: string
  }
}
/**
 * A template, with its fields as a list.
 */
export interface Template {
  /**
   * Id of the template. Decimal digits.
   */
  id: string
  info: TemplateInfo
  /**
   * Its fields, in the order of the form.
   */
  structure: NamedTemplateField[]
}
/**
 * What a template is.
 */
export interface TemplateInfo {
  /**
   * Id of the template. Decimal digits.
   */
  id: string
  /**
   * Its name.
   */
  name: string
  /**
   * Name of its icon, which published clients can draw.
   */
  ico: string
  /**
   * Whether new objects may be made of it.
   */
  active: boolean
  /**
   * Whether its objects can be edited in the workbench of clients.
   */
  wb: boolean
  /**
   * Its objects are edited at once, and have nothing below them. Absent when not.
   */
  ed?: true
  /**
   * After saving, clients show the parent of the object. Absent when not.
   */
  jp?: true
  /**
   * Clients do not offer it. Absent when not.
   */
  hid?: true
  /**
   * Its objects hold a file: `*` any, else extensions with commas between.
   */
  file?: string
}
/**
 * A field of a template, with its name.
 */
export interface NamedTemplateField {
  /**
   * Label of the field, for people.
   */
  translation: string
  /**
   * How clients show the field; one that does not know the type shows a line of text.
   */
  type: 'text' | 'text-passwdgen' | 'textarea' | 'file' | 'dropdown' | 'countrycode' | 'progress' | 'date' | 'datetime'
  /**
   * Whether its value is encrypted, and shown only where `decrypt` asks for it.
   */
  encrypted: boolean
  /**
   * Whether it is part of the normal view, or only of the workbench.
   */
  show: boolean
  /**
   * Whether its value should keep the password policy of the vault.
   */
  policy: boolean
  /**
   * Whether decrypting it can raise an alarm.
   */
  alarm: boolean
  /**
   * Whether it may be empty or missing.
   */
  opt: boolean
  /**
   * Whether clients mark a change until a user has seen it.
   */
  cc: boolean
  /**
   * Whether clients show its value only on a click.
   */
  nc: boolean
  /**
   * Its value may be logged. Absent when not.
   */
  log?: true
  /**
   * Values that a dropdown offers.
   *
   * Items: A value.
   */
  options?: string[]
  /**
   * The value that is selected at first.
   */
  options_default?: string
  /**
   * What an empty field shows.
   */
  placeholder?: string
  /**
   * Name of the field: the member of an object that holds its value.
   */
  fieldname: string
}
/**
 * A member of a vault.
 */
export interface Member {
  /**
   * Id of the user. Decimal digits.
   */
  id: string
  /**
   * Login name of the user.
   */
  username: string
  /**
   * Full name of the user.
   */
  fullname: string
  /**
   * E-mail address of the user.
   */
  email: string
  /**
   * Permission of the member in the vault: 1 Read, 2 Write, 4 Admin.
   */
  groupstatus: '1' | '2' | '4'
  /**
   * Present for a service account, which is not a person.
   */
  service?: true
  /**
   * What narrows Read of the member; absent where nothing does.
   */
  grants?: (
    | {
        /**
         * Which keys: a name, in which each * stands for any number of characters. 1 to 128 letters, digits and _ . - and *, of which 8 at most.
         */
        keys: string
        /**
         * What may be done with them. read: their public part and metadata, and their place in lists.
         */
        operations: ('encrypt' | 'decrypt' | 'rewrap' | 'sign' | 'verify' | 'hmac' | 'datakey' | 'random' | 'read')[]
        /**
         * Base64 of 1 to 256 bytes with which the additional data (aad) of each item have to begin.
         */
        aad?: string
        /**
         * Items a day (UTC) at most, 1 to 1000000000; absent for any number.
         */
        daily?: number
        /**
         * Whether calls by this entry that have a member which the interface does not know are refused.
         */
        strict?: boolean
      }
    | {
        /**
         * What may be done: `list` find objects and list them, with their open fields; `read` read one without its secrets; `decrypt` its encrypted fields and its file.
         */
        objects: ('list' | 'read' | 'decrypt')[]
      }
  )[]
  /**
   * Capabilities of the user. A bitmap as decimal text, whose bits `GET /utils/statusvalues` names.
   */
  status: string
  /**
   * Id of the administrator who gave the user the present pass phrase; absent once the user has changed it. Decimal digits.
   */
  passphrase_by?: string
  /**
   * Present if the membership is on hold: the member cannot use the vault until an Admin confirms.
   */
  resting?: {
    /**
     * When another user, or the operator, first gave the user something to log in with. UTC.
     */
    since: string
    /**
     * Those who gave the user something to log in with.
     *
     * Items: Id of a user, 0 for the operator. Decimal digits.
     */
    by: string[]
    /**
     * Number of the last time, for the call that confirms the member.
     */
    recovery: string
  }
}
/**
 * A password policy.
 */
export interface PasswordPolicy {
  /**
   * Id of the policy, which vaults name in `policy`.
   */
  id: number
  /**
   * What the policy asks for, in words.
   */
  name: string
  /**
   * The rules that apply, by name, such as `min_length`, `min_lowercase_chars`, `min_uppercase_chars`, `min_numeric_chars` and `min_nonalphanumeric_chars`.
   */
  rules: {
    /**
     * A number of characters, or whether the rule applies.
     */
    [k: string]: number | boolean
  }
}
/**
 * A template, with its fields by name.
 */
export interface TemplateEntry {
  INFO: TemplateInfo
  /**
   * Its fields by name, in the order of the form.
   */
  STRUCTURE: {
    [k: string]: TemplateField
  }
}
/**
 * A field of a template.
 */
export interface TemplateField {
  /**
   * Label of the field, for people.
   */
  translation: string
  /**
   * How clients show the field; one that does not know the type shows a line of text.
   */
  type: 'text' | 'text-passwdgen' | 'textarea' | 'file' | 'dropdown' | 'countrycode' | 'progress' | 'date' | 'datetime'
  /**
   * Whether its value is encrypted, and shown only where `decrypt` asks for it.
   */
  encrypted: boolean
  /**
   * Whether it is part of the normal view, or only of the workbench.
   */
  show: boolean
  /**
   * Whether its value should keep the password policy of the vault.
   */
  policy: boolean
  /**
   * Whether decrypting it can raise an alarm.
   */
  alarm: boolean
  /**
   * Whether it may be empty or missing.
   */
  opt: boolean
  /**
   * Whether clients mark a change until a user has seen it.
   */
  cc: boolean
  /**
   * Whether clients show its value only on a click.
   */
  nc: boolean
  /**
   * Its value may be logged. Absent when not.
   */
  log?: true
  /**
   * Values that a dropdown offers.
   *
   * Items: A value.
   */
  options?: string[]
  /**
   * The value that is selected at first.
   */
  options_default?: string
  /**
   * What an empty field shows.
   */
  placeholder?: string
}
/**
 * A field of a template, with a value.
 */
export interface FilledTemplateField {
  /**
   * Label of the field, for people.
   */
  translation: string
  /**
   * How clients show the field; one that does not know the type shows a line of text.
   */
  type: 'text' | 'text-passwdgen' | 'textarea' | 'file' | 'dropdown' | 'countrycode' | 'progress' | 'date' | 'datetime'
  /**
   * Whether its value is encrypted, and shown only where `decrypt` asks for it.
   */
  encrypted: boolean
  /**
   * Whether it is part of the normal view, or only of the workbench.
   */
  show: boolean
  /**
   * Whether its value should keep the password policy of the vault.
   */
  policy: boolean
  /**
   * Whether decrypting it can raise an alarm.
   */
  alarm: boolean
  /**
   * Whether it may be empty or missing.
   */
  opt: boolean
  /**
   * Whether clients mark a change until a user has seen it.
   */
  cc: boolean
  /**
   * Whether clients show its value only on a click.
   */
  nc: boolean
  /**
   * Its value may be logged. Absent when not.
   */
  log?: true
  /**
   * Values that a dropdown offers.
   *
   * Items: A value.
   */
  options?: string[]
  /**
   * The value that is selected at first.
   */
  options_default?: string
  /**
   * What an empty field shows.
   */
  placeholder?: string
  /**
   * What the file says for this field; empty where it says nothing.
   */
  val: string
  /**
   * Always empty; published clients read it.
   */
  alarmed: string
  /**
   * Always false; published clients read it.
   */
  ischanged: boolean
}
/**
 * What an object was before an edit.
 */
export interface EarlierVersion {
  /**
   * Version of the object that had these values until then, as text.
   */
  version: string
  /**
   * Its name then.
   */
  objectname: string
  /**
   * When an edit replaced it: UTC, as `YYYY-MM-DD hh:mm:ss`.
   */
  replaced: string
  /**
   * Who replaced it.
   */
  replacedby: string
  /**
   * The fields that were not encrypted, by name.
   */
  public: {
    /**
     * Value of the field.
     */
    [k: string]: string
  }
  /**
   * Present if the list is too long with `public`, or another call changed this object while the list was made: then `public` is empty, and has to be read with the object by itself.
   */
  abridged?: true
  /**
   * The encrypted fields that had a value, in the open, by name: where the call asked for them with `decrypt`.
   */
  crypted?: {
    /**
     * Value of the field.
     */
    [k: string]: string
  }
}
/**
 * A deleted object, with what was deleted with it.
 */
export interface TrashedObject {
  /**
   * Id of the object. Decimal digits.
   */
  objectid: string
  /**
   * Id of its template. Decimal digits.
   */
  templateid: string
  /**
   * Its name.
   */
  objectname: string
  /**
   * How many objects were deleted with it, itself among them.
   */
  objects: string
  /**
   * When it was deleted: UTC, as `YYYY-MM-DD hh:mm:ss`.
   */
  deleted: string
  /**
   * Who deleted it.
   */
  deletedby: string
  /**
   * When it is destroyed, unless it is taken back before: UTC, as `YYYY-MM-DD hh:mm:ss`.
   */
  destroyed: string
}
/**
 * A key type, and what this token can do of it.
 */
export interface KeyType {
  /**
   * Key type.
   */
  type:
    | 'aes128-gcm96'
    | 'aes256-gcm96'
    | 'aes128-ctr'
    | 'aes256-ctr'
    | 'aes128-ofb'
    | 'aes256-ofb'
    | 'hmac-sha256'
    | 'ecdsa-p256'
    | 'ecdsa-p384'
    | 'ed25519'
    | 'rsa-2048'
    | 'rsa-3072'
    | 'rsa-4096'
  /**
   * Whether such keys can be made here, with residency `database`.
   */
  available: 'true' | 'false'
  /**
   * Whether such keys can be made here, with residency `token`.
   */
  available_in_token: 'true' | 'false'
  /**
   * PKCS#11 mechanism that the token would need; absent where it is available.
   */
  missing_mechanism?: string
  /**
   * Whether such keys encrypt and decrypt.
   */
  supports_encryption: 'true' | 'false'
  /**
   * Whether they authenticate what they encrypt, and take `aad`.
   */
  supports_aad: 'true' | 'false'
  /**
   * Whether such keys sign and verify.
   */
  supports_signing: 'true' | 'false'
  /**
   * Whether such keys make HMACs.
   */
  supports_hmac: 'true' | 'false'
}
/**
 * What is known of a key, never the key: every value is text.
 */
export interface Key {
  /**
   * Name of the key, unique in its vault.
   */
  name: string
  /**
   * Latest version, as text.
   */
  key_version: string
  /**
   * Key type.
   */
  type:
    | 'aes128-gcm96'
    | 'aes256-gcm96'
    | 'aes128-ctr'
    | 'aes256-ctr'
    | 'aes128-ofb'
    | 'aes256-ofb'
    | 'hmac-sha256'
    | 'ecdsa-p256'
    | 'ecdsa-p384'
    | 'ed25519'
    | 'rsa-2048'
    | 'rsa-3072'
    | 'rsa-4096'
  /**
   * Whether it can be backed up.
   */
  allow_backup: 'true' | 'false'
  /**
   * Whether an Admin can export it.
   */
  allow_export: 'true' | 'false'
  /**
   * Whether an Admin can export it in the open as well.
   */
  allow_plaintext_export: 'true' | 'false'
  /**
   * Whether it can be deleted.
   */
  allow_delete: 'true' | 'false'
  /**
   * Whether it signs.
   */
  supports_signing: 'true' | 'false'
  /**
   * What it is for.
   */
  info: string
  /**
   * Id of the key. Decimal digits.
   */
  objectid: string
  /**
   * `database` the key lies wrapped in the database, `token` it is an object of the token: slower to use, and neither exported nor backed up.
   */
  residency: 'database' | 'token'
  /**
   * First version that was not trimmed.
   */
  oldest_version: string
  /**
   * First version that may still encrypt, sign and make HMACs.
   */
  min_encryption_version: string
  /**
   * First version that may still decrypt and verify.
   */
  min_decryption_version: string
  /**
   * Seconds after which it gets a new version by itself, 0 for never.
   */
  auto_rotate_period: string
}
/**
 * A version of a key.
 */
export interface KeyVersion {
  /**
   * The version, as text.
   */
  key_version: string
  /**
   * Whether it may be used.
   */
  enabled: 'true' | 'false'
  /**
   * When it was made. UTC.
   */
  created: string
  /**
   * Encryptions by this version that are reserved, no fewer than were made; of key types that encrypt.
   */
  encryptions?: string
  /**
   * How many are safe; at nine tenths of them the key is rotated by itself.
   */
  max_encryptions?: string
  /**
   * Public key of a key that signs. PEM.
   */
  public_key?: string
}
/**
 * Why an item failed.
 */
export interface ItemError {
  /**
   * Number of what went wrong, as ERRORCODES has it.
   */
  code: string
  /**
   * What went wrong, for people.
   */
  text: string
}
/**
 * A record of the audit trail.
 */
export interface AuditRecord {
  /**
   * When it was written. UTC.
   */
  at: string
  /**
   * The process that wrote it: each has a chain of its own.
   */
  chain: string
  /**
   * Its number in the chain, as text.
   */
  seq: string
  /**
   * What was called or done, such as `transparent.decrypt`: the operation ids of this document, and more.
   */
  operation: string
  /**
   * `allowed`, `noted`, or the code of the fault that refused it.
   */
  outcome: string
  /**
   * Id of the call, a UUID where it came over this interface; several records may share it.
   */
  requestid: string
  /**
   * Id of the user who called. Decimal digits.
   */
  userid?: string
  /**
   * Login name of the user, as it was then or as it was sent.
   */
  username?: string
  /**
   * IP address that the call came from.
   */
  address?: string
  /**
   * Id of the vault that it was about.
   */
  vaultid?: string
  /**
   * Name of the key that it was about.
   */
  key?: string
  /**
   * Version of that key.
   */
  version?: string
  /**
   * What else it was about.
   */
  subject?: string
  /**
   * How many calls it sums up, as text; absent where it is one.
   */
  count?: string
}

/** Method and path of each operation, and whether it takes a session. */
export const addresses = {
  'auth.login': ['POST', '/auth', 'public'],
  'auth.logout': ['GET', '/auth/logout', 'session'],
  'auth.check': ['POST', '/auth/check', 'session'],
  'auth.check.get': ['GET', '/auth/check', 'session'],
  'authinfo.logintypes': ['GET', '/authinfo/logintypes', 'public'],
  'user.sessions': ['GET', '/user/{userid}/sessions', 'session'],
  'user.sessions.end': ['DELETE', '/user/{userid}/sessions', 'session'],
  'user.session.end': ['DELETE', '/user/{userid}/sessions/{sessionid}', 'session'],
  'auth.passphrase': ['PUT', '/auth/passphrase', 'session'],
  'user.passphrase': ['PUT', '/user/{userid}/passphrase', 'session'],
  'user.otp.list': ['GET', '/user/{userid}/otp', 'session'],
  'user.otp.enrol': ['POST', '/user/{userid}/otp', 'session'],
  'user.otp.remove': ['DELETE', '/user/{userid}/otp/{deviceid}', 'session'],
  'user.otp.resync': ['PUT', '/user/{userid}/otp/{deviceid}/resync', 'session'],
  'user.list': ['GET', '/user', 'session'],
  'user.create': ['POST', '/user', 'session'],
  'user.read': ['GET', '/user/{userid}', 'session'],
  'user.edit': ['PUT', '/user/{userid}', 'session'],
  'user.edit.post': ['POST', '/user/{userid}', 'session'],
  'user.disable': ['DELETE', '/user/{userid}', 'session'],
  'me.read': ['GET', '/me', 'session'],
  'me.email': ['PUT', '/me/email', 'session'],
  'me.sessions.end': ['DELETE', '/me/sessions', 'session'],
  'me.otp.begin': ['POST', '/me/otp', 'session'],
  'me.otp.adopt': ['POST', '/me/otp/adopt', 'session'],
  'me.otp.activate': ['POST', '/me/otp/{deviceid}/activate', 'session'],
  'me.otp.remove': ['DELETE', '/me/otp/{deviceid}', 'session'],
  'authinfo.smcuser': ['GET', '/authinfo/smcuser', 'public'],
  'usercert.read': ['GET', '/usercert', 'session'],
  'usercert.readany': ['GET', '/usercert/{userid}', 'session'],
  'usercert.add': ['POST', '/usercert/{userid}', 'session'],
  'usercert.remove': ['DELETE', '/usercert/{userid}', 'session'],
  'auth.challenge': ['POST', '/auth/challenge', 'public'],
  'me.challenge': ['POST', '/me/challenge', 'session'],
  'me.passkey.register': ['POST', '/me/passkeys', 'session'],
  'me.passkey.rename': ['PUT', '/me/passkeys/{passkeyid}', 'session'],
  'me.passkey.remove': ['DELETE', '/me/passkeys/{passkeyid}', 'session'],
  'user.passkey.list': ['GET', '/user/{userid}/passkeys', 'session'],
  'user.passkey.remove': ['DELETE', '/user/{userid}/passkeys/{passkeyid}', 'session'],
  'service.list': ['GET', '/service', 'session'],
  'service.create': ['POST', '/service', 'session'],
  'service.read': ['GET', '/service/{serviceid}', 'session'],
  'service.change': ['PUT', '/service/{serviceid}', 'session'],
  'service.remove': ['DELETE', '/service/{serviceid}', 'session'],
  'service.credential.add': ['POST', '/service/{serviceid}/credential', 'session'],
  'service.credential.remove': ['DELETE', '/service/{serviceid}/credential/{credentialid}', 'session'],
  'link.create': ['POST', '/link', 'session'],
  'link.list': ['GET', '/link', 'session'],
  'link.open': ['POST', '/link/open', 'public'],
  'link.revoke': ['DELETE', '/link/{linkid}', 'session'],
  'vault.create': ['POST', '/vault', 'session'],
  'vault.list': ['GET', '/vault', 'session'],
  'vault.read': ['GET', '/vault/{vaultid}', 'session'],
  'vault.edit': ['PUT', '/vault/{vaultid}', 'session'],
  'vault.delete': ['DELETE', '/vault/{vaultid}', 'session'],
  'vault.members': ['GET', '/vault/{vaultid}/members', 'session'],
  'vault.member.add': ['POST', '/vault/{vaultid}/member/{userid}', 'session'],
  'vault.member.change': ['PUT', '/vault/{vaultid}/member/{userid}', 'session'],
  'vault.member.remove': ['DELETE', '/vault/{vaultid}/member/{userid}', 'session'],
  'vault.member.confirm': ['POST', '/vault/{vaultid}/member/{userid}/confirm', 'session'],
  'utils.policies': ['GET', '/utils/policies', 'session'],
  'utils.pwgen': ['GET', '/utils/pwgen', 'session'],
  'utils.statusvalues': ['GET', '/utils/statusvalues', 'session'],
  'utils.version': ['GET', '/utils/version', 'session'],
  'utils.state': ['GET', '/utils/state', 'session'],
  'utils.mimetype': ['POST', '/utils/get_mime_type', 'session'],
  'template.list': ['GET', '/template', 'session'],
  'template.read': ['GET', '/template/{templateid}', 'session'],
  'file.collect': ['POST', '/filecollect', 'session'],
  'object.create': ['POST', '/object', 'session'],
  'object.read': ['GET', '/object/{objectid}', 'session'],
  'object.edit': ['PUT', '/object/{objectid}', 'session'],
  'object.delete': ['DELETE', '/object/{objectid}', 'session'],
  'object.history': ['GET', '/object/{objectid}/history', 'session'],
  'object.history.read': ['GET', '/object/{objectid}/history/{version}', 'session'],
  'object.alarm': ['PUT', '/object/{objectid}/alarm', 'session'],
  'object.undelete': ['POST', '/object/{objectid}/undelete', 'session'],
  'object.trash': ['GET', '/vault/{vaultid}/trash', 'session'],
  'object.favourite': ['PUT', '/object/{objectid}/favourite', 'session'],
  'object.favourite.clear': ['DELETE', '/object/{objectid}/favourite', 'session'],
  'object.favourites': ['GET', '/favourites', 'session'],
  'object.tags.set': ['PUT', '/object/{objectid}/tags', 'session'],
  'object.tags.clear': ['DELETE', '/object/{objectid}/tags', 'session'],
  'object.tags': ['GET', '/tags', 'session'],
  'object.move': ['POST', '/object/{objectid}/move', 'session'],
  'object.copy': ['POST', '/object/{objectid}/copy', 'session'],
  'object.find': ['GET', '/find', 'session'],
  'object.find.path': ['GET', '/find/{needle}', 'session'],
  'transparent.types': ['GET', '/transparent/types', 'session'],
  'transparent.key.list': ['GET', '/transparent/{vaultid}/keys', 'session'],
  'transparent.key.create': ['POST', '/transparent/{vaultid}/keys/{name}', 'session'],
  'transparent.key.read': ['GET', '/transparent/{vaultid}/keys/{name}', 'session'],
  'transparent.key.update': ['PUT', '/transparent/{vaultid}/keys/{name}', 'session'],
  'transparent.key.delete': ['DELETE', '/transparent/{vaultid}/keys/{name}', 'session'],
  'transparent.key.takeback': ['POST', '/transparent/{vaultid}/keys/{name}/undelete', 'session'],
  'transparent.key.rotate': ['POST', '/transparent/{vaultid}/keys/{name}/rotate', 'session'],
  'transparent.key.trim': ['POST', '/transparent/{vaultid}/keys/{name}/trim', 'session'],
  'transparent.key.version': ['PUT', '/transparent/{vaultid}/keys/{name}/versions/{version}', 'session'],
  'transparent.settings': ['PUT', '/transparent/{vaultid}/settings', 'session'],
  'transparent.encrypt': ['POST', '/transparent/{vaultid}/encrypt/{name}', 'session'],
  'transparent.decrypt': ['POST', '/transparent/{vaultid}/decrypt/{name}', 'session'],
  'transparent.rewrap': ['POST', '/transparent/rewrap/{vaultid}/{name}', 'session'],
  'transparent.datakey': ['POST', '/transparent/{vaultid}/datakey/{type}/{name}', 'session'],
  'transparent.sign': ['POST', '/transparent/{vaultid}/sign/{name}', 'session'],
  'transparent.verify': ['POST', '/transparent/{vaultid}/verify/{name}', 'session'],
  'transparent.hmac': ['POST', '/transparent/{vaultid}/hmac/{name}', 'session'],
  'transparent.random': ['POST', '/transparent/random', 'session'],
  'transparent.hash': ['POST', '/transparent/hash', 'session'],
  'transparent.backup': ['GET', '/transparent/backup/{vaultid}/{name}', 'session'],
  'transparent.restore': ['POST', '/transparent/restore/{vaultid}/{name}', 'session'],
  'transparent.export': ['GET', '/transparent/export/{vaultid}/{name}', 'session'],
  'transparent.export.version': ['GET', '/transparent/export/{vaultid}/{name}/{version}', 'session'],
  'transparent.import.job': ['POST', '/transparent/import_job/{vaultid}/{name}', 'session'],
  'transparent.import': ['POST', '/transparent/import/{vaultid}/{name}', 'session'],
  'audit.list': ['GET', '/audit', 'session'],
  'docs.openapi': ['GET', '/openapi.json', 'public'],
  'docs.page': ['GET', '/docs', 'public'],
} as const

/** Number and status of each error, by its code. */
export const errorCatalogue = {
  'session.invalid': { number: 1200, status: 403 },
  'session.not_found': { number: 1205, status: 404 },
  'session.cookie': { number: 1206, status: 403 },
  'login.refused': { number: 1201, status: 403 },
  'login.throttled': { number: 1202, status: 429 },
  'login.type_disabled': { number: 1203, status: 400 },
  'login.busy': { number: 1204, status: 429 },
  'access.capability': { number: 1300, status: 403 },
  'access.permission': { number: 1301, status: 403 },
  'access.resting': { number: 1302, status: 403 },
  'access.confirmation': { number: 1303, status: 403 },
  'access.used_up': { number: 1304, status: 429 },
  'vault.not_found': { number: 1400, status: 404 },
  'vault.policy_unknown': { number: 1401, status: 400 },
  'vault.not_empty': { number: 1402, status: 409 },
  'vault.last_admin': { number: 1403, status: 409 },
  'vault.member_exists': { number: 1404, status: 409 },
  'vault.member_unknown': { number: 1405, status: 404 },
  'vault.has_admin': { number: 1406, status: 409 },
  'vault.member_awake': { number: 1407, status: 409 },
  'vault.has_confirmer': { number: 1408, status: 409 },
  'key.not_found': { number: 1500, status: 404 },
  'key.exists': { number: 1501, status: 409 },
  'key.type_unknown': { number: 1502, status: 400 },
  'key.version_unknown': { number: 1503, status: 400 },
  'key.exhausted': { number: 1504, status: 409 },
  'key.tampered': { number: 1505, status: 503 },
  'ciphertext.malformed': { number: 1506, status: 400 },
  'ciphertext.invalid': { number: 1507, status: 400 },
  'key.wrong_type': { number: 1508, status: 400 },
  'key.version_disabled': { number: 1509, status: 409 },
  'key.flag_off': { number: 1510, status: 409 },
  'key.residency': { number: 1511, status: 400 },
  'key.delete_forbidden': { number: 1512, status: 409 },
  'key.export_forbidden': { number: 1513, status: 409 },
  'key.backup_forbidden': { number: 1514, status: 409 },
  'backup.invalid': { number: 1515, status: 400 },
  'backup.foreign': { number: 1519, status: 403 },
  'key.versions': { number: 1520, status: 409 },
  'key.token_full': { number: 1521, status: 409 },
  'import.invalid': { number: 1516, status: 400 },
  'import.no_job': { number: 1518, status: 409 },
  'signature.malformed': { number: 1517, status: 400 },
  'template.not_found': { number: 1600, status: 404 },
  'template.exists': { number: 1601, status: 409 },
  'template.in_use': { number: 1602, status: 409 },
  'template.frozen': { number: 1603, status: 409 },
  'object.not_found': { number: 1610, status: 404 },
  'object.invalid': { number: 1611, status: 400 },
  'object.parent_unknown': { number: 1612, status: 400 },
  'object.not_empty': { number: 1613, status: 409 },
  'object.tampered': { number: 1614, status: 503 },
  'object.key_exhausted': { number: 1615, status: 409 },
  'object.no_file': { number: 1616, status: 400 },
  'object.busy': { number: 1617, status: 429 },
  'object.changed': { number: 1618, status: 409 },
  'passphrase.refused': { number: 1730, status: 400 },
  'user.not_found': { number: 1700, status: 404 },
  'user.exists': { number: 1701, status: 409 },
  'user.invalid': { number: 1702, status: 400 },
  'service.not_found': { number: 1750, status: 404 },
  'service.invalid': { number: 1751, status: 400 },
  'service.credential_unknown': { number: 1752, status: 404 },
  'link.not_found': { number: 1760, status: 404 },
  'link.invalid': { number: 1761, status: 400 },
  'link.limit': { number: 1762, status: 409 },
  'link.disabled': { number: 1763, status: 403 },
  'otp.device_exists': { number: 1703, status: 409 },
  'otp.device_limit': { number: 1704, status: 409 },
  'otp.device_invalid': { number: 1705, status: 400 },
  'passkey.invalid': { number: 1770, status: 400 },
  'passkey.exists': { number: 1771, status: 409 },
  'passkey.limit': { number: 1772, status: 409 },
  'passkey.make_refused': { number: 1774, status: 400 },
  'passkey.not_found': { number: 1773, status: 404 },
  'user.last_factor': { number: 1764, status: 409 },
  'apikey.not_found': { number: 1706, status: 404 },
  'otp.device_not_found': { number: 1720, status: 404 },
  'otp.resync_failed': { number: 1721, status: 400 },
  'certificate.not_found': { number: 1740, status: 401 },
  'certificate.invalid': { number: 1741, status: 400 },
  'certificate.taken': { number: 1742, status: 409 },
  'certificate.none': { number: 1743, status: 404 },
  'certificate.forwarded': { number: 1744, status: 403 },
  'request.not_json': { number: 1800, status: 400 },
  'request.not_found': { number: 1801, status: 404 },
  'request.method': { number: 1802, status: 405 },
  'request.too_large': { number: 1803, status: 413 },
  'request.invalid': { number: 1804, status: 400 },
  'request.expect': { number: 1805, status: 417 },
  'request.length_required': { number: 1806, status: 411 },
  'request.timeout': { number: 1807, status: 408 },
  'request.encoding': { number: 1808, status: 415 },
  'request.header_too_large': { number: 1809, status: 431 },
  'request.uri_too_long': { number: 1810, status: 414 },
  'request.plain_http': { number: 1811, status: 400 },
  'request.not_form': { number: 1812, status: 400 },
  'request.quota': { number: 1820, status: 429 },
  'request.too_many': { number: 1813, status: 429 },
  'hsm.unavailable': { number: 1900, status: 503 },
  'hsm.sealed': { number: 1901, status: 503 },
  'hsm.rejected': { number: 1902, status: 400 },
  'hsm.seal_broken': { number: 1903, status: 503 },
  'hsm.outdated': { number: 1911, status: 503 },
  'hsm.unsupported': { number: 1904, status: 400 },
  'store.unavailable': { number: 1905, status: 503 },
  'store.conflict': { number: 1906, status: 409 },
  'audit.unavailable': { number: 1907, status: 503 },
  'appliance.stopping': { number: 1908, status: 503 },
  'appliance.busy': { number: 1910, status: 503 },
  internal: { number: 1909, status: 500 },
} as const
