#include "admin_page.h"

// The files go in as they are; the compiler notes them as what this file is made from.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_js[] = {
#embed "Page/api.js"
};
static const unsigned char app_js[] = {
#embed "Page/app.js"
};
static const unsigned char apps_js[] = {
#embed "Page/apps.js"
};
static const unsigned char charts_js[] = {
#embed "Page/charts.js"
};
static const unsigned char dead_tasks_js[] = {
#embed "Page/dead-tasks.js"
};
static const unsigned char dead_js[] = {
#embed "Page/dead.js"
};
static const unsigned char dom_js[] = {
#embed "Page/dom.js"
};
static const unsigned char format_js[] = {
#embed "Page/format.js"
};
static const unsigned char icon_svg[] = {
#embed "Page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char overview_js[] = {
#embed "Page/overview.js"
};
static const unsigned char page_css[] = {
#embed "Page/page.css"
};
static const unsigned char queues_js[] = {
#embed "Page/queues.js"
};
static const unsigned char tokens_js[] = {
#embed "Page/tokens.js"
};
static const unsigned char workers_js[] = {
#embed "Page/workers.js"
};
static const unsigned char openapi_json[] = {
#embed "../../docs/openapi.json"
};

#define FILE_NAMED(name, bytes) {name, bytes, sizeof bytes}

static const admin_page_file files[] = {
    FILE_NAMED("api.js", api_js),
    FILE_NAMED("app.js", app_js),
    FILE_NAMED("apps.js", apps_js),
    FILE_NAMED("charts.js", charts_js),
    FILE_NAMED("dead-tasks.js", dead_tasks_js),
    FILE_NAMED("dead.js", dead_js),
    FILE_NAMED("dom.js", dom_js),
    FILE_NAMED("format.js", format_js),
    FILE_NAMED("icon.svg", icon_svg),
    FILE_NAMED("index.html", index_html),
    FILE_NAMED("overview.js", overview_js),
    FILE_NAMED("page.css", page_css),
    FILE_NAMED("queues.js", queues_js),
    FILE_NAMED("tokens.js", tokens_js),
    FILE_NAMED("workers.js", workers_js),
};

const admin_page_file *admin_page_file_at(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}

const admin_page_file *admin_page_description(void) {
  static const admin_page_file description = FILE_NAMED("openapi.json", openapi_json);
  return &description;
}
