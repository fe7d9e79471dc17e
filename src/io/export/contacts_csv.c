// CSV of contacts: a row a contact and frame.
#include "base/error.h"
#include "io/export/export.h"

#include <math.h>

static void put_number(FILE *stream, double number)
{
    fputc(',', stream);
    perp_put_csv_number(stream, number);
}

static void put_vector(FILE *stream, const double vector[3])
{
    for (int k = 0; k < 3; k++)
        put_number(stream, vector[k]);
}

static const char *name_of(const PerpExport *x, int body)
{
    return body < 0 ? "world" : perp_recording_body(x->recording, body).name;
}

static void put_contact(FILE *stream, const PerpExport *x, long k, const PerpRecordedContact *c)
{
    perp_put_csv_number(stream, x->time[k]);
    fprintf(stream, ",%.0f,%llu,", x->number[k], c->id);
    perp_put_csv_text(stream, name_of(x, c->body_a));
    fputc(',', stream);
    perp_put_csv_text(stream, name_of(x, c->body_b));
    fprintf(stream, ",%d,%d,%s", c->shape_a, c->shape_b, perp_contact_status_name(c->status));
    put_number(stream, c->gap);
    put_vector(stream, c->point);
    put_vector(stream, c->normal);
    put_vector(stream, c->velocity);
    put_vector(stream, c->impulse);
    put_number(stream, c->mu);
    put_number(stream, c->residual);
    fputc('\n', stream);
}

static PerpStatus write_table(FILE *stream, void *what, PerpError *error)
{
    PerpExport *x = what;
    PerpStatus status = PERP_OK;
    fputs("t,step,id,a,b,shape_a,shape_b,status,gap,x,y,z,nx,ny,nz,vx,vy,vz,jx,jy,jz,mu,residual\n",
          stream);
    for (long k = 0; !status && k < x->frames && !ferror(stream); k++) {
        const PerpRecordedContact *contacts;
        int count = 0;
        status = perp_recording_contacts(x->recording, x->frame[k], &contacts, &count, error);
        for (int i = 0; !status && i < count; i++)
            put_contact(stream, x, k, &contacts[i]);
    }
    return status;
}

PerpStatus perp_export_contacts(PerpExport *x, PerpError *error)
{
    return perp_export_file(x, x->path, write_table, x, error);
}
