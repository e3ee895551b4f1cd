/*
 * What the token alone costs: C_EncryptInit and C_Encrypt (AES-256-GCM, a fresh IV each) in a loop on a session key, without
 * Node, frames or sockets; with `decrypt`, C_DecryptInit and C_Decrypt of one ciphertext. Prints one JSON object:
 * {"items":N,"cpuUs":microseconds of processor time per item}.
 *
 *   cc -O2 -isystem node_modules/pkcs11js/includes/pkcs11 -o encrypt-loop bench/encrypt-loop.c -ldl
 *   SOFTHSM2_CONF=… ./encrypt-loop MODULE TOKEN-LABEL BYTES ITEMS [decrypt] < PIN
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <pkcs11.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
enum { IV_BYTES = 12, TAG_BYTES = 16, KEY_BYTES = 32 };

/* CK_GCM_PARAMS of PKCS#11 v2.40, with the length of the IV in bits. */
struct gcm {
  CK_BYTE *iv;
  CK_ULONG iv_bytes, iv_bits;
  CK_BYTE *aad;
  CK_ULONG aad_bytes, tag_bits;
};

static CK_FUNCTION_LIST *token;

static void check(const char *what, CK_RV rv) {
  if (rv == CKR_OK) return;
  fprintf(stderr, "%s: CKR 0x%lx\n", what, rv);
  exit(1);
}

static CK_SLOT_ID find_slot(const char *label) {
  CK_SLOT_ID slots[64];
  CK_ULONG count = COUNT(slots);
  check("C_GetSlotList", token->C_GetSlotList(CK_TRUE, slots, &count));
  for (CK_ULONG i = 0; i < count; i++) {
    CK_TOKEN_INFO info;
    check("C_GetTokenInfo", token->C_GetTokenInfo(slots[i], &info));
    if (memcmp(info.label, label, strlen(label)) == 0) return slots[i];
  }
  fprintf(stderr, "no token %s\n", label);
  exit(1);
}

static CK_SESSION_HANDLE open_session(const char *module, const char *label) {
  void *library = dlopen(module, RTLD_NOW | RTLD_LOCAL);
  CK_C_GetFunctionList list = library ? (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList") : NULL;
  if (list == NULL || list(&token) != CKR_OK) {
    fprintf(stderr, "%s is no PKCS#11 module\n", module);
    exit(1);
  }
  check("C_Initialize", token->C_Initialize(NULL));
  CK_SESSION_HANDLE session;
  CK_FLAGS flags = CKF_SERIAL_SESSION | CKF_RW_SESSION;
  check("C_OpenSession", token->C_OpenSession(find_slot(label), flags, NULL, NULL, &session));
  CK_UTF8CHAR pin[256];
  size_t length = fread(pin, 1, sizeof pin, stdin);
  while (length > 0 && pin[length - 1] == '\n') length--;
  check("C_Login", token->C_Login(session, CKU_USER, pin, length));
  return session;
}

static CK_OBJECT_HANDLE make_key(CK_SESSION_HANDLE session) {
  CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
  CK_ULONG bytes = KEY_BYTES;
  CK_ATTRIBUTE template[] = {
      {CKA_TOKEN, &no, sizeof no},        {CKA_PRIVATE, &yes, sizeof yes},     {CKA_SENSITIVE, &yes, sizeof yes},
      {CKA_EXTRACTABLE, &no, sizeof no},  {CKA_ENCRYPT, &yes, sizeof yes},     {CKA_DECRYPT, &yes, sizeof yes},
      {CKA_VALUE_LEN, &bytes, sizeof bytes},
  };
  CK_MECHANISM generate = {CKM_AES_KEY_GEN, NULL, 0};
  CK_OBJECT_HANDLE key;
  check("C_GenerateKey", token->C_GenerateKey(session, &generate, template, COUNT(template), &key));
  return key;
}

int main(int argc, char **argv) {
  CK_BBOOL decrypts = argc == 6 && strcmp(argv[5], "decrypt") == 0;
  if (argc != 5 && !decrypts) {
    fprintf(stderr, "usage: encrypt-loop MODULE TOKEN-LABEL BYTES ITEMS [decrypt] < PIN\n");
    return 2;
  }
  CK_SESSION_HANDLE session = open_session(argv[1], argv[2]);
  CK_OBJECT_HANDLE key = make_key(session);
  CK_ULONG bytes = strtoul(argv[3], NULL, 10);
  long items = strtol(argv[4], NULL, 10);
  CK_BYTE iv[IV_BYTES];
  CK_BYTE *plaintext = calloc(1, bytes + TAG_BYTES), *ciphertext = malloc(bytes + TAG_BYTES);
  struct gcm parameter = {iv, IV_BYTES, IV_BYTES * 8, NULL, 0, TAG_BYTES * 8};
  CK_MECHANISM mechanism = {CKM_AES_GCM, &parameter, sizeof parameter};
  clock_t before = clock();
  for (long i = 0; i < items; i++) {
    CK_ULONG sealed = bytes + TAG_BYTES, opened = sealed;
    /* What is decrypted was encrypted before the clock runs. */
    if (i == 0 || !decrypts) {
      if (getrandom(iv, sizeof iv, 0) != sizeof iv) return 1;
      check("C_EncryptInit", token->C_EncryptInit(session, &mechanism, key));
      check("C_Encrypt", token->C_Encrypt(session, plaintext, bytes, ciphertext, &sealed));
    }
    if (!decrypts) continue;
    if (i == 0) before = clock();
    check("C_DecryptInit", token->C_DecryptInit(session, &mechanism, key));
    check("C_Decrypt", token->C_Decrypt(session, ciphertext, sealed, plaintext, &opened));
  }
  double us = (double)(clock() - before) * 1e6 / CLOCKS_PER_SEC / (double)items;
  printf("{\"items\":%ld,\"cpuUs\":%.3f}\n", items, us);
  return 0;
}
