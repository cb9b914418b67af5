/* What libcurl and the file system can do with a list of small files: limit_list LIST MODE [THREADS [CA_FILE]]
 *
 * Downloads the URLs of LIST, one a line, 50 at a time, to the last part of their paths.
 * MODE named: each file is written under its name, and nothing is synced.
 * MODE safe: no name is on a file that is not on the disk. A file is made without a name and gets two attributes; every
 * quarter of a second all such files are synced at once and named, and then the directory is synced.
 * With two threads the first one receives, and the second one does everything with files. */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { AT_ONCE = 50, CAPACITY = 64 * 1024, MOST_FILES = 1 << 20, MOST_OPEN = 16 * 1024 };

struct file {
  char *url, *bytes;
  size_t count;
};

static struct file files[MOST_FILES];
static int file_count, is_safe, failed;
static const char *authority;
static int directory;

/* Files on the disk under no name yet, in the order in which they were opened. */
static struct {
  int descriptor;
  const char *name;
} unnamed[MOST_OPEN];
static int unnamed_count;
static double named_at;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void fail(const char *what) {
  perror(what);
  failed = 1;
}

static const char *name_of(const struct file *file) { return strrchr(file->url, '/') + 1; }

static void name_files(void) {
  if (unnamed_count == 0) return;
  if (syncfs(unnamed[0].descriptor) < 0) fail("syncfs");
  for (int i = 0; i < unnamed_count; i++) {
    if (linkat(unnamed[i].descriptor, "", directory, unnamed[i].name, AT_EMPTY_PATH) < 0) fail("linkat");
    close(unnamed[i].descriptor);
  }
  if (fsync(directory) < 0) fail("fsync");
  unnamed_count = 0;
  named_at = now();
}

static void store(struct file *file) {
  int flags = is_safe ? O_RDWR | O_TMPFILE : O_WRONLY | O_CREAT | O_EXCL;
  int descriptor = openat(directory, is_safe ? "." : name_of(file), flags | O_CLOEXEC, 0666);
  if (descriptor < 0) return fail("openat");
  if (write(descriptor, file->bytes, file->count) != (ssize_t)file->count) fail("write");
  free(file->bytes);
  if (!is_safe) {
    close(descriptor);
    return;
  }
  char mark[128];
  int length = snprintf(mark, sizeof mark, "whole-transfer:- %zu 1795754167.000000000 1795754225 origin.url", file->count);
  if (fsetxattr(descriptor, "user.limit.verified", mark, length, 0) < 0) fail("fsetxattr");
  if (fsetxattr(descriptor, "user.limit.origin.url", file->url, strlen(file->url), 0) < 0) fail("fsetxattr");
  unnamed[unnamed_count].descriptor = descriptor;
  unnamed[unnamed_count++].name = name_of(file);
  if (unnamed_count == MOST_OPEN || now() - named_at >= 0.25) name_files();
}

/* Files that were received, for the second thread. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct file **queue;
static int queued, ended;

static void *store_all(void *unused) {
  (void)unused;
  for (int stored = 0;;) {
    pthread_mutex_lock(&mutex);
    while (stored == queued && !ended) pthread_cond_wait(&changed, &mutex);
    int until = queued;
    pthread_mutex_unlock(&mutex);
    if (stored == until) return NULL;
    while (stored < until) store(queue[stored++]);
  }
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
  struct file *file = context;
  if (!file->bytes) file->bytes = malloc(CAPACITY);
  if (file->count + size * count > CAPACITY) return 0;
  memcpy(file->bytes + file->count, bytes, size * count);
  file->count += size * count;
  return size * count;
}

static void begin(CURLM *multi, CURL *easy, struct file *file) {
  curl_easy_setopt(easy, CURLOPT_URL, file->url);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, file);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, file);
  curl_multi_add_handle(multi, easy);
}

static CURL *make_easy(void) {
  CURL *easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)(authority ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  if (authority) curl_easy_setopt(easy, CURLOPT_CAINFO, authority);
  return easy;
}

static int read_list(const char *path) {
  FILE *list = fopen(path, "r");
  char *line = NULL;
  size_t capacity = 0;
  if (!list) return -1;
  for (ssize_t length; (length = getline(&line, &capacity, list)) > 0 && file_count < MOST_FILES;) {
    if (line[length - 1] == '\n') line[length - 1] = 0;
    files[file_count++].url = strdup(line);
  }
  fclose(list);
  return 0;
}

int main(int count, char **arguments) {
  if (count < 3 || read_list(arguments[1]) < 0) return 2;
  is_safe = strcmp(arguments[2], "safe") == 0;
  int is_threaded = count > 3 && atoi(arguments[3]) > 1;
  if (count > 4) authority = arguments[4];
  directory = open(".", O_RDONLY | O_DIRECTORY);
  queue = calloc(file_count, sizeof *queue);
  named_at = now();
  pthread_t thread;
  if (is_threaded && pthread_create(&thread, NULL, store_all, NULL) != 0) return 1;

  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  int begun = 0, running = 0, left;
  while (begun < file_count && begun < AT_ONCE) begin(multi, make_easy(), &files[begun++]);
  do {
    curl_multi_perform(multi, &running);
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
      CURL *easy = message->easy_handle;
      struct file *file;
      CURLcode result = message->data.result;
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&file);
      curl_multi_remove_handle(multi, easy);
      if (result == CURLE_SEND_ERROR || result == CURLE_RECV_ERROR || result == CURLE_HTTP2) {
        file->count = 0; /* The server has ended the connection after 1,000 requests. */
        begin(multi, easy, file);
        running++;
        continue;
      }
      if (result != CURLE_OK) {
        fprintf(stderr, "%s: %s\n", file->url, curl_easy_strerror(result));
        failed = 1;
      } else if (!is_threaded) {
        store(file);
      } else {
        pthread_mutex_lock(&mutex);
        queue[queued++] = file;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
      }
      if (begun == file_count) {
        curl_easy_cleanup(easy);
      } else {
        begin(multi, easy, &files[begun++]);
        running++;
      }
    }
    if (running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  } while (running);
  if (is_threaded) {
    pthread_mutex_lock(&mutex);
    ended = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
  }
  name_files();
  curl_multi_cleanup(multi);
  return failed;
}
