// The payload as a whole, and the page around it.
#include "view/view.h"

#include <string.h>

enum { VERSION = 1 };
static const char PLACE[] = "<!--perp-data-->"; // where the data go in the page

static PerpStatus put_part(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                           PerpError *error)
{
    if (part->count == 0)
        return PERP_OK;
    PerpStatus status = view_put_frames(bytes, recording, part, error);
    if (!status && perp_recording_has(recording, "contacts/count"))
        status = view_put_contacts(bytes, recording, part, error);
    if (!status && perp_recording_has(recording, "certificate/worst"))
        status = view_put_worst(bytes, recording, part, error);
    return status ? status : view_put_numbers(bytes, recording, part, error);
}

static PerpStatus put_sections(Bytes *bytes, PerpRecording *recording, const ViewPlan *plan,
                               const char *name, const char *note, PerpError *error)
{
    bytes_put(bytes, "PERPVIEW", 8);
    bytes_u32(bytes, VERSION);
    PerpStatus status = view_put_head(bytes, recording, view_coarse_part(plan), name, note, error);
    if (!status)
        status = view_put_events(bytes, recording, error);
    for (int k = 0; !status && k < plan->count; k++)
        status = put_part(bytes, recording, &plan->part[k], error);
    return status;
}

PerpStatus view_put_payload(Bytes *out, PerpRecording *recording, const ViewPlan *plan,
                            const char *name, const char *note, PerpError *error)
{
    Bytes plain = {0};
    PerpStatus status = put_sections(&plain, recording, plan, name, note, error);
    if (!status)
        bytes_deflate(out, &plain);
    bytes_free(&plain);
    return !status && out->failed ? view_fail(error, PERP_NO_MEMORY, "no memory for the page")
                                  : status;
}

static void put_text(Bytes *bytes, const char *text)
{
    bytes_put(bytes, text, strlen(text));
}

static PerpStatus put_script(Bytes *out, PerpRecording *recording, ViewWindow window,
                             const char *name, const char *id, PerpError *error)
{
    Bytes packed = {0};
    char note[512];
    ViewPlan plan;
    PerpStatus status = view_plan_whole(recording, window, &plan, error);
    if (!status) {
        view_describe_plan(recording, &plan, note, sizeof note);
        status = view_put_payload(&packed, recording, &plan, name, note, error);
    }
    put_text(out, "<script type=\"application/octet-stream\" id=\"");
    put_text(out, id);
    put_text(out, "\">");
    bytes_base64(out, &packed);
    put_text(out, "</script>\n");
    bytes_free(&packed);
    return status;
}

// Where PLACE stands in the page, which is no string.
static size_t find_place(void)
{
    size_t length = strlen(PLACE);
    for (size_t at = view_page_size; at-- > length;)
        if (memcmp(view_page + at - length, PLACE, length) == 0)
            return at - length;
    return view_page_size;
}

PerpStatus view_put_page(Bytes *out, const ViewSource *source, PerpError *error)
{
    const ViewWindow none = {0, 0};
    size_t place = find_place();
    bytes_put(out, view_page, place);
    PerpStatus status =
        put_script(out, source->recording, source->window, source->name, "perp-run", error);
    if (!status && source->ghost)
        status = put_script(out, source->ghost, none, source->ghost_name, "perp-ghost", error);
    bytes_put(out, view_page + place, view_page_size - place);
    return !status && out->failed ? view_fail(error, PERP_NO_MEMORY, "no memory for the page")
                                  : status;
}

void view_put_served_page(Bytes *out, bool has_ghost)
{
    size_t place = find_place();
    bytes_put(out, view_page, place);
    put_text(out, has_ghost ? "<meta id=\"perp-served\" data-ghost=\"1\">\n"
                            : "<meta id=\"perp-served\">\n");
    bytes_put(out, view_page + place, view_page_size - place);
}
