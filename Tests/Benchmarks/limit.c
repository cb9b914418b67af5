/* What libcurl can do on this machine: limit URL FILE [BLOCK_BYTES [BLOCKS [CA_FILE]]]
 *
 * Collects what libcurl delivers in blocks and writes each block once. With one block the thread that receives also
 * writes; with more a second thread writes, and the first waits while none is free. */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BLOCKS 256

struct block {
  char *bytes;
  size_t count;
  off_t offset;
};

static struct block blocks[MOST_BLOCKS];
static size_t block_size = 256 * 1024;
static int block_count = 1;
static int file;
static off_t offset;
static int failed;

/* Blocks `written` to `filled` belong to the writer; block `filled` is the one that is being filled. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned long filled, written;
static int ended;

static void write_block(struct block *block) {
  size_t done = 0;
  while (done < block->count) {
    ssize_t count = pwrite(file, block->bytes + done, block->count - done, block->offset + done);
    if (count <= 0) {
      perror("pwrite");
      failed = 1;
      break;
    }
    done += count;
  }
  block->count = 0;
}

static void *write_all(void *unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  for (;;) {
    while (written == filled && !ended) pthread_cond_wait(&changed, &mutex);
    if (written == filled) break;
    unsigned long until = filled;
    for (unsigned long number = written; number < until; number++) {
      pthread_mutex_unlock(&mutex);
      write_block(&blocks[number % block_count]);
      pthread_mutex_lock(&mutex);
      written = number + 1;
      pthread_cond_signal(&changed);
    }
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

/* The block is full, or the body has ended. */
static void hand_over(void) {
  struct block *block = &blocks[filled % block_count];
  offset = block->offset + block->count;
  if (block_count == 1) {
    write_block(block);
  } else {
    pthread_mutex_lock(&mutex);
    filled++;
    pthread_cond_signal(&changed);
    while (filled - written == (unsigned long)block_count) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
  }
  blocks[filled % block_count].offset = offset;
}

static size_t receive(char *bytes, size_t size, size_t count, void *unused) {
  (void)unused;
  size_t left = size * count;
  while (left > 0) {
    struct block *block = &blocks[filled % block_count];
    size_t part = block_size - block->count < left ? block_size - block->count : left;
    memcpy(block->bytes + block->count, bytes, part);
    block->count += part;
    bytes += part;
    left -= part;
    if (block->count == block_size) hand_over();
  }
  return failed ? 0 : size * count;
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  if (count > 3) block_size = strtoul(arguments[3], NULL, 10);
  if (count > 4) block_count = atoi(arguments[4]);
  if (block_size == 0 || block_count < 1 || block_count > MOST_BLOCKS) return 2;
  file = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) {
    perror("open");
    return 1;
  }
  for (int number = 0; number < block_count; number++) blocks[number].bytes = malloc(block_size);
  pthread_t writer;
  if (block_count > 1 && pthread_create(&writer, NULL, write_all, NULL) != 0) return 1;

  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  CURL *easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_URL, arguments[1]);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 512L * 1024);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
  if (count > 5) curl_easy_setopt(easy, CURLOPT_CAINFO, arguments[5]);
  curl_multi_add_handle(multi, easy);
  int running = 1;
  while (running) {
    curl_multi_perform(multi, &running);
    if (running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  int left;
  CURLMsg *message = curl_multi_info_read(multi, &left);
  if (!message || message->data.result != CURLE_OK) {
    fprintf(stderr, "%s\n", message ? curl_easy_strerror(message->data.result) : "no result");
    failed = 1;
  }
  hand_over();
  if (block_count > 1) {
    pthread_mutex_lock(&mutex);
    ended = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(writer, NULL);
  }
  curl_multi_remove_handle(multi, easy);
  curl_easy_cleanup(easy);
  curl_multi_cleanup(multi);
  if (close(file) < 0) {
    perror("close");
    failed = 1;
  }
  return failed;
}
