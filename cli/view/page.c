// The payload as a whole, and the page around it.
#include "view/view.h"

#include <string.h>

enum { VERSION = 1 };
static const char PLACE[] = "<!--perp-data-->"; // where the data go in the page

static PerpStatus put_sections(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                               const char *note, PerpError *error)
{
    bytes_put(bytes, "PERPVIEW", 8);
    bytes_u32(bytes, VERSION);
    PerpStatus status = view_put_head(bytes, recording, part, note, error);
    if (!status)
        status = view_put_events(bytes, recording, error);
    if (status || part->count == 0)
        return status;
    status = view_put_frames(bytes, recording, part, error);
    if (!status && perp_recording_has(recording, "contacts/count"))
        status = view_put_contacts(bytes, recording, part, error);
    if (!status && perp_recording_has(recording, "certificate/worst"))
        status = view_put_worst(bytes, recording, part, error);
    return status;
}

PerpStatus view_put_payload(Bytes *out, PerpRecording *recording, const ViewPart *part,
                            const char *note, PerpError *error)
{
    Bytes plain = {0};
    PerpStatus status = put_sections(&plain, recording, part, note, error);
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

static PerpStatus put_script(Bytes *out, PerpRecording *recording, const char *id, PerpError *error)
{
    Bytes packed = {0};
    char note[512];
    *error = (PerpError){0};
    ViewPart part = view_plan_whole(recording, error);
    view_describe_part(recording, &part, note, sizeof note);
    PerpStatus status = error->status;
    if (!status)
        status = view_put_payload(&packed, recording, &part, note, error);
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

PerpStatus view_put_page(Bytes *out, PerpRecording *recording, PerpRecording *ghost,
                         PerpError *error)
{
    size_t place = find_place();
    bytes_put(out, view_page, place);
    PerpStatus status = put_script(out, recording, "perp-run", error);
    if (!status && ghost)
        status = put_script(out, ghost, "perp-ghost", error);
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
